import type { PermissionRule } from '../../contract/permission/rule.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { HookMatcher } from './compile-matcher.js'
import { HOOK_EVENTS, type HookEvent } from './hook-events.js'
import type { HookPayload } from './hook-payload.js'

/** Validated hooks by event, in the order of the configuration. Created by `parseHookConfig`. */
export type HookConfig = Readonly<Partial<Record<HookEvent, readonly ConfiguredHook[]>>>

export interface ConfiguredHook {
  readonly matcher: HookMatcher
  /** The `if` of the group and the `if` of the hook, both of which must match. */
  readonly conditions: readonly PermissionRule[]
  readonly hook: Hook
  /** The name of the hook in reports. */
  readonly label: string
  /** Hooks with the same identity would do the same, so only one of them runs. */
  readonly identity: unknown
}

export type Hook = CommandHook | HttpHook | McpToolHook | PromptHook | FunctionHook

interface CommonHookFields {
  readonly timeoutMs: number
  /** Whether the hook runs at most once per session. Cancelled runs do not count. */
  readonly once: boolean
  /** Whether the hook runs in the background. Its answer then decides nothing. */
  readonly async: boolean
  /** The text that is shown while the hook runs. */
  readonly statusMessage?: string
}

export interface CommandHook extends CommonHookFields {
  readonly type: 'command'
  readonly command: string
}

export interface HttpHook extends CommonHookFields {
  readonly type: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The variables that `$NAME` in a header may refer to. */
  readonly allowedEnvVars: readonly string[]
}

export interface McpToolHook extends CommonHookFields {
  readonly type: 'mcp_tool'
  readonly server: string
  readonly tool: string
  /** In a string, `${tool_input.file_path}` is replaced by that field of the payload. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface PromptHook extends CommonHookFields {
  readonly type: 'prompt'
  /** `$ARGUMENTS` is replaced by the payload. Without it the payload is appended. */
  readonly prompt: string
  readonly model?: string
}

/** Available only from code, because JSON has no functions. */
export interface FunctionHook extends CommonHookFields {
  readonly type: 'function'
  readonly run: HookFunction
}

/** Returns the same answer as the stdout of a command: an object with the documented fields, a text, or nothing. */
export type HookFunction = (payload: HookPayload, options: { readonly signal: AbortSignal }) => MaybePromise<unknown>

/** A problem in the settings, and its location. */
export interface HookProblem {
  /** For example `PreToolUse[0].hooks[1]`. */
  readonly path: string
  readonly message: string
}

/** Joins the hooks of several sources in the given order. If hooks conflict, the later source wins. */
export function joinHookConfigs(configs: readonly HookConfig[]): HookConfig {
  const joinedConfig: { -readonly [E in keyof HookConfig]: HookConfig[E] } = {}
  for (const event of HOOK_EVENTS) {
    const hooks = configs.flatMap((config) => config[event] ?? [])
    if (hooks.length > 0) joinedConfig[event] = hooks
  }
  return joinedConfig
}
