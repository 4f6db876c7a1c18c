import type { PermissionRule } from '../../contract/permission/rule.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { HookPayload } from '../run/hook-payload.js'
import type { HookMatcher } from './compile-matcher.js'
import { HOOK_EVENTS, type HookEvent } from './hook-events.js'

/** Hooks that were read and checked, by event, in the order they were written. Made by `parseHookConfig`. */
export type HookConfig = Readonly<Partial<Record<HookEvent, readonly ConfiguredHook[]>>>

export interface ConfiguredHook {
  readonly matcher: HookMatcher
  /** Every one must fit: the `if` of the group and that of the hook itself. */
  readonly conditions: readonly PermissionRule[]
  readonly hook: Hook
  /** How the hook is called in reports. */
  readonly label: string
  /** Two hooks of one identity would do the same, so they run once. */
  readonly identity: unknown
}

export type Hook = CommandHook | HttpHook | McpToolHook | PromptHook | FunctionHook

interface HookBasics {
  readonly timeoutMs: number
  /** Runs no more than once in a session. */
  readonly once: boolean
  /** Nobody waits for it, and its answer decides nothing. */
  readonly async: boolean
  /** Shown while the hook runs. */
  readonly statusMessage?: string
}

export interface CommandHook extends HookBasics {
  readonly type: 'command'
  readonly command: string
}

export interface HttpHook extends HookBasics {
  readonly type: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The only variables that `$NAME` in a header may name. */
  readonly allowedEnvVars: readonly string[]
}

export interface McpToolHook extends HookBasics {
  readonly type: 'mcp_tool'
  readonly server: string
  readonly tool: string
  /** `${tool_input.file_path}` in a text stands for that field of the payload. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface PromptHook extends HookBasics {
  readonly type: 'prompt'
  /** `$ARGUMENTS` stands for the payload; without it the payload follows the text. */
  readonly prompt: string
  readonly model?: string
}

/** Only code can bring one: JSON has no functions. */
export interface FunctionHook extends HookBasics {
  readonly type: 'function'
  readonly run: HookFunction
}

/** Answers as a command does on stdout: an object of the documented fields, a text, or nothing. */
export type HookFunction = (payload: HookPayload, options: { readonly signal: AbortSignal }) => MaybePromise<unknown>

/** Something in the settings that does not work, and where. */
export interface HookProblem {
  /** For example `PreToolUse[0].hooks[1]`. */
  readonly path: string
  readonly message: string
}

/** The hooks of several sources as one list, in the order given: where answers clash, a later source was configured last. */
export function joinHookConfigs(configs: readonly HookConfig[]): HookConfig {
  const joined: { -readonly [E in keyof HookConfig]: HookConfig[E] } = {}
  for (const event of HOOK_EVENTS) {
    const hooks = configs.flatMap((config) => config[event] ?? [])
    if (hooks.length > 0) joined[event] = hooks
  }
  return joined
}
