import type { AssistantMessage, ToolUseBlock } from '../contract/messages.js'
import type { Tool } from '../contract/tool.js'

declare const stage: unique symbol

/** Marks how far a call has come; only the step before can make it, so a step out of order does not compile. */
interface Stage<Name extends string> {
  readonly [stage]: Name
}

/** What the model asked for, as it came. */
export interface RequestedCall {
  readonly toolUse: ToolUseBlock
  readonly parentMessage: AssistantMessage
}

export interface FoundCall extends RequestedCall, Stage<'found'> {
  readonly tool: Tool
}

/** The input fits the schema and holds no field that only the runtime may set. */
export interface ParsedCall extends RequestedCall, Stage<'parsed'> {
  readonly tool: Tool
  readonly input: Input
  /** Where values came as JSON text and were decoded. */
  readonly repairs: readonly string[]
}

export interface ValidatedCall extends RequestedCall, Stage<'validated'> {
  readonly tool: Tool
  readonly input: Input
}

/** The PreToolUse hooks have spoken; an input they changed was parsed and validated again. */
export interface HookedCall extends RequestedCall, Stage<'hooked'> {
  readonly tool: Tool
  readonly input: Input
  readonly opinion?: { readonly behavior: 'allow' | 'deny' | 'ask'; readonly reason?: string }
  readonly notes: readonly string[]
}

export interface AllowedCall extends RequestedCall, Stage<'allowed'> {
  readonly tool: Tool
  readonly input: Input
  readonly notes: readonly string[]
}

export type Input = Record<string, unknown>

/** The one place where a state is made out of its parts. */
export function enter<S extends FoundCall | ParsedCall | ValidatedCall | HookedCall | AllowedCall>(
  parts: Omit<S, typeof stage>,
): S {
  return parts as S
}
