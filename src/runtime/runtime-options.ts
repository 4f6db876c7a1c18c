import type { AskPermission, StepTimer } from '../calls/call-environment.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { Environment } from '../contract/flags.js'
import type { SandboxSettings } from '../contract/host/sandbox-settings.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { Ports } from '../contract/ports/index.js'
import type { BackgroundTask } from '../contract/ports/tasks.js'
import type { AgentDefinition, ContextOptions, Skill } from '../contract/tool/context.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import type { HookReport } from '../hooks/answer/merge-results.js'
import type { HookPorts } from '../hooks/run/hook-call.js'
import type { McpServerOption } from '../mcp/config/server-config.js'
import type { DecisionPorts } from '../permissions/decide/decision-request.js'
import type { PermissionRestrictions } from '../settings/merge/restrict-layers.js'
import type { HaftRuntime } from './haft-runtime.js'
import type { McpSetup } from './mcp/mcp-setup.js'
import type { OtelTracer } from './otel-tracer.js'
import type { PermissionRules } from './permission-rules.js'
import type { ToolSearchOptions } from './tool-search-settings.js'

/** Which agent an event is about; no id for the main one. */
export interface EventSource {
  readonly agentId?: string
}

export interface ToolRuntimeOptions {
  /** Tools of the host itself. The first wrong one throws, unless `onProblem` is given. */
  readonly tools: readonly unknown[]
  /** Tools of servers; asked before every request, because servers come and go. While none does, it should give the same array. */
  readonly mcpTools?: () => Tools
  /** MCP servers by name, or as settings have them. Their tools join the others as they come up; they end with the runtime. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>> | McpSetup

  /** Rules and mode, or a whole context; `default` mode without rules if left out. */
  readonly permissions?: PermissionRules | ToolPermissionContext
  /** What policy leaves to nobody else: see `loadSettings`. */
  readonly restrictions?: PermissionRestrictions
  /** A person to ask; without one a question is a denial that says which rule would allow the call. */
  readonly ask?: AskPermission
  /** Writes updates that a person wants kept. Where it fails, they hold until the runtime ends. */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<unknown>
  /** What the user asked for, for the classifier of auto mode. */
  readonly userRequest?: () => string
  /** Told why the run has to end: the classifier of auto mode gave up and nobody can be asked. The message is cut short; the loop should end. */
  readonly onStop?: (reason: string, source: EventSource) => void
  /** Whether a sandbox is around this process, without which root may not bypass permissions; `HAFT_SANDBOX=1` if left out. */
  readonly isSandboxed?: boolean
  readonly decisionPorts?: Partial<DecisionPorts>

  /** `HookSettings`, as in a settings file, or a list of them: where answers clash, the last wins. */
  readonly hooks?: unknown
  readonly hookPorts?: HookPorts
  readonly sessionId?: string
  readonly transcriptPath?: string

  /** What tools may ask for in `needs`, in place of what this machine gives: `clock`, `files`, `search`, `shell`, `tasks`, `terminal`. */
  readonly ports?: Partial<Ports>
  /** Ports of each agent's own, made when its first call needs one: its runtime decides what a sub-agent is forked from. */
  readonly agentPorts?: (runtime: HaftRuntime) => Partial<Ports>
  /** How commands are held; where nothing is said, those that nobody was asked about, as far as this machine can. */
  readonly sandbox?: SandboxSettings
  /** Programs that look at a file after an edit, as settings have them: they are started, so only from where you trust. */
  readonly languageServers?: Readonly<Record<string, unknown>>
  readonly formatters?: Readonly<Record<string, unknown>>
  readonly cwd?: string
  readonly homeDir?: string
  /** What rules with a leading slash count from; the working folder if left out. */
  readonly projectDir?: string
  readonly model?: string
  readonly agentDefinitions?: readonly AgentDefinition[]
  /** What the tool Skill can load; asked when it looks. While nothing changes, it should give the same array. */
  readonly skills?: () => readonly Skill[]
  readonly toolSearch?: ToolSearchOptions
  readonly contextOptions?: Partial<ContextOptions<Tool>>

  /** `base` runs safe neighbours together and all else alone; `resources` looks at what calls touch. */
  readonly scheduling?: 'resources' | 'base'
  readonly maxConcurrency?: number
  /** How many commands, sub-agents and calls of one server run at once, over all agents. */
  readonly limits?: Readonly<Record<string, number>>
  /** How long a call may go on after it was cancelled. */
  readonly graceMs?: number

  /** Where what calls overwrite is kept, so that it can be undone; left out, it is not. */
  readonly checkpointsDirectory?: string
  /** Told once where that folder can never be written to: then calls are made, and cannot be undone. */
  readonly onNoCheckpoints?: (problem: string) => void
  /** Where long results are kept, with a record of what was sent, for resuming; a folder that is gone with the runtime if left out. */
  readonly resultsDirectory?: string

  /** Hears all that happens to calls of every agent, and every mode that is entered. */
  readonly onEvent?: (event: ToolEvent, source: EventSource) => void
  /** Told of background work that has ended, for the conversation. */
  readonly onTaskEnded?: (task: BackgroundTask) => void
  /** Told what hooks came to that are about no call and that nobody waited for. */
  readonly onHookReported?: (report: HookReport) => void
  /** Told once of each tool, hook or update that cannot be used; the others work. */
  readonly onProblem?: (problem: ToolDefinitionError | string) => void
  readonly timer?: StepTimer
  /** An OpenTelemetry tracer; without one nothing is traced. */
  readonly tracer?: OtelTracer

  /** Flags; read from the environment variables if left out. */
  readonly environment?: Environment
  /** The variables of the process, which commands of tools and hooks inherit. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Those of them that commands of tools do not get: what they print goes to the model, and keys must not. */
  readonly hiddenVariables?: readonly string[]
}
