import type { AskPermission } from '../calls/call-environment.js'
import type { Model } from '../contract/model/model.js'
import type { Tool } from '../contract/tool/tool.js'
import type { McpServerOption } from '../mcp/config/server-config.js'
import type { HookSettings } from '../runtime/hooks/hook-settings.js'
import type { PermissionRules } from '../runtime/permissions/permission-rules.js'

/** Options of `runAgent`. Everything that is left out is as for `haft -p` in the same folder. */
export interface RunAgentOptions {
  /** The name of a model, such as `claude-sonnet-5-5` or `openai/gpt-5.6-sol`, or a model. Default: by settings and keys. */
  readonly model?: string | Model
  /**
   * The tools of the agent: names of built-in tools, and your own tools. `default` stands for all built-in tools. Default:
   * `['default']`.
   */
  readonly tools?: readonly (string | Tool)[]
  /** Rules and mode, in addition to those of the settings. */
  readonly permissions?: PermissionRules
  /** Asks the user. Without it, calls that need approval are denied. */
  readonly ask?: AskPermission
  /** MCP servers by name, in addition to those of the settings. They replace servers of the same name. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>
  /** Hooks that run after those of the settings. */
  readonly hooks?: HookSettings
  /** The session to continue. Default: a new session, which is saved. */
  readonly session?: SessionOption
  /** Default: the working directory of the process. */
  readonly cwd?: string
  /** The variables of the agent and its commands, with the keys of models. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Replaces the system prompt. */
  readonly systemPrompt?: string
  /** Is added to the system prompt. */
  readonly appendSystemPrompt?: string
  /** How many requests the agent may send. */
  readonly maxTurns?: number
  readonly maxBudgetUsd?: number
  /** Whether the settings of the project may allow calls, and start hooks and servers. Default: as the user decided. */
  readonly isProjectTrusted?: boolean
  /** Interrupts the agent. */
  readonly signal?: AbortSignal
  /** Called with each problem, such as invalid settings. Default: a line on standard error. */
  readonly onProblem?: (problem: string) => void
}

/** Which session an agent continues, and whether the session is saved. */
export type SessionOption =
  /** Continues the latest session of the folder; with `fork`, in a copy. */
  | { readonly continue: true; readonly fork?: boolean }
  /** Continues the session with this id; with `fork`, in a copy. */
  | { readonly resume: string; readonly fork?: boolean }
  /** A new session, with this id. */
  | { readonly id?: string; readonly isSaved?: boolean }

/** Converts options to the arguments of `haft -p`, which checks them. */
export function toPrintArguments(options: RunAgentOptions): readonly string[] {
  const { model, tools, permissions = {}, session = {} } = options
  const flags = ['--print']
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) flags.push(`--${name}=${value}`)
  }
  const addFlag = (name: string, isSet: boolean | undefined) => {
    if (isSet === true) flags.push(`--${name}`)
  }
  if (typeof model === 'string') add('model', model)
  if (tools !== undefined) add('tools', tools.filter((tool) => typeof tool === 'string').join(','))
  add('permission-mode', permissions.mode)
  for (const rule of permissions.allow ?? []) add('allowed-tools', rule)
  for (const rule of permissions.deny ?? []) add('disallowed-tools', rule)
  for (const folder of permissions.directories ?? []) add('add-dir', folder)
  if ('continue' in session) addFlag('continue', session.continue)
  else if ('resume' in session) add('resume', session.resume)
  else {
    add('session-id', session.id)
    addFlag('no-session-persistence', session.isSaved === false)
  }
  addFlag('fork-session', 'fork' in session ? session.fork : undefined)
  add('system-prompt', options.systemPrompt)
  add('append-system-prompt', options.appendSystemPrompt)
  add('max-turns', options.maxTurns)
  add('max-budget-usd', options.maxBudgetUsd)
  addFlag('trust', options.isProjectTrusted)
  return flags
}
