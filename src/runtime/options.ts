import type { AskPermission, StepTimer } from '../calls/call-environment.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { Environment } from '../contract/flags.js'
import type { EditorFiles } from '../contract/host/editor-files.js'
import type { SandboxSettings } from '../contract/host/sandbox-settings.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { BrowserSettings } from '../contract/ports/browser.js'
import type { Ports } from '../contract/ports/index.js'
import type { Notification, NotifyOptions } from '../contract/ports/notify.js'
import type { DuePrompt, Workers } from '../contract/ports/schedule.js'
import type { ConfigPort } from '../contract/ports/settings.js'
import type { BackgroundTask, TaskEvent } from '../contract/ports/tasks.js'
import type { WebSearchSettings } from '../contract/ports/web-search.js'
import type { AgentDefinition, ContextOptions, Skill, ThinkingConfig } from '../contract/tool/context.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import type { HookReport } from '../hooks/answer/merge-results.js'
import type { RunningHook } from '../hooks/create-hook-runner.js'
import type { HookPorts } from '../hooks/run/hook-call.js'
import type { McpServerOption } from '../mcp/config/server-config.js'
import type { DecisionPorts } from '../permissions/decide/decision-request.js'
import type { PermissionRestrictions } from '../settings/merge/restrict-layers.js'
import type { HaftRuntime } from './haft-runtime.js'
import type { HookSettings } from './hooks/hook-settings.js'
import type { McpSetup } from './mcp/mcp-setup.js'
import type { OtelTracer } from './otel-tracer.js'
import type { PermissionRules } from './permissions/permission-rules.js'
import type { ToolSearchOptions } from './tools/tool-search-settings.js'

/** The agent that an event is about; no id for the main agent. */
export interface EventOrigin {
  readonly agentId?: string
}

/** Options of `createToolRuntime`. Only `tools` is required. */
export interface ToolRuntimeOptions {
  /** The host's tools. An invalid one throws, unless `onProblem` is set. */
  readonly tools: readonly unknown[]
  /** Further tools, read before every request. Return the same array while nothing changes. */
  readonly mcpTools?: () => Tools
  /** MCP servers by name, or as `loadSettings` returns them. The runtime starts and ends them. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>> | McpSetup
  /** Rules and mode, or a whole permission context. Without it: mode `default`, no rules. */
  readonly permissions?: PermissionRules | ToolPermissionContext
  /** Asks the user. Without it, calls that need approval are denied, and the message names a rule that would allow them. */
  readonly ask?: AskPermission
  /** `HookSettings`, as in a settings file, or a list of them; later entries take precedence. */
  readonly hooks?: HookSettings | readonly HookSettings[] | undefined
  /** Replaces ports of this machine, or adds ports that it does not have, for tools that list them in `needs`. */
  readonly ports?: Partial<Ports>
  /** The working directory of the first call. Default: that of the process. */
  readonly cwd?: string
  /** Receives every event of every call of every agent. */
  readonly onEvent?: (event: ToolEvent, source: EventOrigin) => void
  /**
   * Waits until the record of all earlier events is durable. A tool runs only afterwards; if it fails, the tool does not
   * run. Default: tools do not wait.
   */
  readonly waitUntilRecorded?: () => Promise<void>
  /**
   * Called once for each tool, hook, rule or update that cannot be used. The others still work. Default: a warning on standard
   * error (`process.emitWarning`).
   */
  readonly onProblem?: (problem: ToolDefinitionError | string) => void

  readonly conversation?: ConversationOptions
  readonly policy?: PolicyOptions
  readonly scheduling?: SchedulingOptions
  readonly machine?: MachineOptions
  readonly storage?: StorageOptions
  readonly schedule?: ScheduleHostOptions
  readonly toolSearch?: ToolSearchOptions
  readonly telemetry?: TelemetryOptions
}

/** The conversation that the tools work for. */
export interface ConversationOptions {
  readonly sessionId?: string
  /** Passed to hooks. */
  readonly transcriptPath?: string
  /** The name of the model, for tools that show or use it. */
  readonly model?: string
  /** How the model thinks, for tools that ask a model themselves. Default: disabled. */
  readonly thinking?: ThinkingConfig
  /** The kinds of sub-agents that can be started. */
  readonly agentDefinitions?: readonly AgentDefinition[]
  /** Creates the ports of one agent when its first call needs them, for example the port that starts sub-agents. */
  readonly agentPorts?: (runtime: HaftRuntime) => Partial<Ports>
  /** The skills that can be loaded. Return the same array while nothing changes. */
  readonly skills?: () => readonly Skill[]
  /** Overrides values that tools read from `context.options`. */
  readonly contextOptions?: Partial<ContextOptions<Tool>>
  /** Returns what the user asked for. Auto mode judges calls by it. */
  readonly userRequest?: () => string
  /** Called when the agent must stop, because a hook stopped it or auto mode denied too many calls. The loop should end. */
  readonly onStop?: (reason: string, source: EventOrigin) => void
  /** Called when background work has ended. */
  readonly onTaskEnded?: (task: BackgroundTask) => void
  /** Called when a monitor reports lines. The conversation should continue if it is idle. */
  readonly onTaskReported?: (task: BackgroundTask, event: TaskEvent) => void
  /** Shows the user a notice of a tool. */
  readonly onNotification?: (notification: Notification) => void
  /** Receives reports of hooks that belong to no call. */
  readonly onHookReported?: (report: HookReport) => void
  /** Called with the hooks that are waited for, whenever one starts or ends. */
  readonly onHooksRunning?: (hooks: readonly RunningHook[]) => void
  /** The ports that hooks of type `prompt`, `agent` and `mcp_tool` need. */
  readonly hookPorts?: HookPorts
}

/** How permission decisions are made, apart from the rules. */
export interface PolicyOptions {
  /** Restrictions by managed settings; see `loadSettings`. */
  readonly restrictions?: PermissionRestrictions
  /** Writes permission updates to the settings files. If it fails, they apply until the runtime ends. */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<unknown>
  /** Whether this process runs in a sandbox; otherwise root may not bypass permissions. Default: `HAFT_SANDBOX=1`. */
  readonly isSandboxed?: boolean
  /** Replaces the lookup of paths, and the classifier of auto mode. */
  readonly decisionPorts?: Partial<DecisionPorts>
}

/** How calls run concurrently. */
export interface SchedulingOptions {
  /** `resources` compares what calls read and write; `base` runs only concurrency-safe neighbours together. */
  readonly rule?: 'resources' | 'base'
  /** How many calls of one message run at once. Default: 10. */
  readonly maxConcurrency?: number
  /** How many commands, sub-agents and calls of one MCP server run at once, over all agents. */
  readonly limits?: Readonly<Record<string, number>>
  /** How long a cancelled call may continue before it is abandoned. Default: 2,000. */
  readonly graceMs?: number
}

/** The machine that tools work on. */
export interface MachineOptions {
  readonly homeDir?: string
  /** The folder that rules with a leading slash are relative to. Default: the working directory. */
  readonly projectDir?: string
  /** If false, language servers and formatters are not started from folders of the project. Default: true. */
  readonly isProjectTrusted?: boolean
  /** Environment variables for commands and hooks. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * Variables that commands and hooks do not inherit, because their output goes to the model. Variables that look like
   * keys, tokens or passwords are never inherited, unless `passVariables` names them.
   */
  readonly hiddenVariables?: readonly string[]
  /** Variables that commands and hooks inherit although they look like secrets. `*` matches any text, as in `AWS_*`. */
  readonly passVariables?: readonly string[]
  /** Whether the values of variables that look like secrets are masked in results and events. Default: false. */
  readonly maskSecrets?: boolean
  /** Feature flags. Default: read from the environment variables. */
  readonly flags?: Environment
  /** How commands are sandboxed. Default: commands that run without approval are sandboxed if this machine can do it. */
  readonly sandbox?: SandboxSettings
  /** Hosts that may be fetched although they have addresses of this machine or the local network. Default: none. */
  readonly allowedPrivateHosts?: readonly string[]
  /** The files of the user's editor. Tools see and change texts that are not saved. */
  readonly editorFiles?: EditorFiles | undefined
  /** The service that searches the web. Default: none, and WebSearch is not offered. */
  readonly webSearch?: WebSearchSettings
  /** How the user is notified outside the conversation. Default: not at all, and PushNotification is not offered. */
  readonly notify?: NotifyOptions
  /** How the browser runs. Default: an installed Chromium, Chrome or Edge with a temporary profile. */
  readonly browser?: BrowserSettings
  /**
   * Language servers by name, besides the built-in ones. They also check files after an edit. They are started, so pass only
   * trusted settings.
   */
  readonly languageServers?: Readonly<Record<string, unknown>>
  /** Formatters that run after an edit. They are started, so pass only trusted settings. */
  readonly formatters?: Readonly<Record<string, unknown>>
}

/** Where the runtime stores data. */
export interface StorageOptions {
  /**
   * Folder for the previous content of files that calls overwrite, so that the calls can be undone. Without it, nothing
   * is saved.
   */
  readonly checkpointsDirectory?: string
  /** Called once if that folder cannot be written. Calls then run, but cannot be undone. */
  readonly onNoCheckpoints?: (problem: string) => void
  /** Folder for long results, needed to resume a conversation. Default: a temporary folder. */
  readonly resultsDirectory?: string
  /** Folder for the task board, which all agents and processes with this folder share. Without it, there is no task board. */
  readonly taskBoardDirectory?: string
  /** Folder for teams and their mailboxes, which all processes with this folder share. Without it, there are no teams. */
  readonly teamsDirectory?: string
  /** Folder for the journals of workflows. Without it, workflows cannot run. */
  readonly workflowsDirectory?: string
  /** The settings that Config reads and changes. Default: none, and Config is not offered. */
  readonly settings?: ConfigPort
  /** Whether checkpoints, the task board and journals of workflows must survive a power failure. A call then waits until its checkpoint is on the disk. Default: false. */
  readonly isDurable?: boolean
}

/** How scheduled prompts run. Without it, prompts cannot be scheduled. */
export interface ScheduleHostOptions {
  /** Folder for the durable tasks of the project, which `haft schedule run` runs. */
  readonly directory: string
  /** Receives prompts that are due in this session. Without it, only durable tasks can be created. */
  readonly onDue?: (prompt: DuePrompt) => void
  /** Whether the host starts durable runs, so that they need no service. Default: false. */
  readonly startsDurableRuns?: boolean
  /** Workers on other machines, by name. */
  readonly workers?: Workers
}

/** Where the runtime reports durations and traces. */
export interface TelemetryOptions {
  /** Receives the duration of each step of each call. */
  readonly timer?: StepTimer
  /** Receives an OpenTelemetry span for each call, with a child span for each step. */
  readonly tracer?: OtelTracer
}
