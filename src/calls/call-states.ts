import type { AssistantMessage, ToolUseBlock } from '../contract/messages.js'
import type { Tool, ToolResult } from '../contract/tool/tool.js'

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

/** A call whose input is known. */
interface KnownCall extends RequestedCall {
  readonly tool: Tool
  readonly input: Input
}

/** The input fits the schema and holds no field that only the runtime may set. */
export interface ParsedCall extends KnownCall, Stage<'parsed'> {
  /** Where values came as JSON text and were decoded. */
  readonly repairs: readonly string[]
}

export interface ValidatedCall extends KnownCall, Stage<'validated'> {}

/** The PreToolUse hooks have spoken; an input they changed was parsed and validated again. */
export interface HookedCall extends KnownCall, Stage<'hooked'> {
  readonly opinion?: { readonly behavior: 'allow' | 'deny' | 'ask'; readonly reason?: string }
}

export interface AllowedCall extends KnownCall, Stage<'allowed'> {}

/** What the call will overwrite is kept. */
export interface SavedCall extends KnownCall, Stage<'saved'> {}

/** The tool has answered. */
export interface ReturnedCall extends KnownCall, Stage<'returned'> {
  readonly result: ToolResult<unknown>
}

/** The PostToolUse hooks have seen the result; what they replaced fits the output schema. */
export interface ReviewedCall extends KnownCall, Stage<'reviewed'> {
  readonly result: ToolResult<unknown>
}

export type Input = Record<string, unknown>

type CallState =
  | FoundCall
  | ParsedCall
  | ValidatedCall
  | HookedCall
  | AllowedCall
  | SavedCall
  | ReturnedCall
  | ReviewedCall

/** The one place where a state is made; a step that changes nothing hands on the object it was given. */
export function enter<S extends CallState>(parts: Omit<S, typeof stage>): S {
  return parts as S
}
