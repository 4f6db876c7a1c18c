import type { PermissionMode } from '../contract/permission/context.js'
import type { HookEvent } from '../hooks/config/hook-events.js'
import type { McpSdkServerConfig } from './mcp-server.js'
import type { SessionStore } from './session-store.js'

/** An answer to the question whether a tool may be used. */
export type PermissionResult =
  | {
      readonly behavior: 'allow'
      readonly updatedInput?: Readonly<Record<string, unknown>>
      readonly updatedPermissions?: readonly PermissionUpdate[]
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean }

/** A change of permissions, such as a rule that allows a call from now on. */
export type PermissionUpdate = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly destination: string
}

/** Decides about a call that no rule allows or denies. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    readonly signal: AbortSignal
    readonly suggestions?: readonly PermissionUpdate[]
    readonly decisionReason?: string
    readonly title?: string
    readonly toolUseID: string
    readonly agentID?: string
    readonly requestId: string
  },
) => Promise<PermissionResult>

/** What a hook gets: the fields that docs/hooks.md lists for its event. */
export type HookInput = Readonly<Record<string, unknown>> & {
  readonly hook_event_name: HookEvent
  readonly session_id: string
  readonly cwd: string
}

/** A function that runs at an event. It returns what a command hook would print as JSON. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<Readonly<Record<string, unknown>> | undefined>

/** Hooks for the names that the matcher covers; without one, for all. */
export interface HookCallbackMatcher {
  readonly matcher?: string
  readonly hooks: readonly HookCallback[]
  /** In seconds. */
  readonly timeout?: number
  /** `block`: if a hook fails, it counts as an objection. */
  readonly onFailure?: 'continue' | 'block'
}

/** A kind of sub-agent. */
export interface AgentDefinition {
  readonly description: string
  readonly prompt: string
  readonly tools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly model?: string
  readonly maxTurns?: number
  readonly permissionMode?: PermissionMode
}

/** An MCP server: a command, a URL, or a server in this program. */
export type McpServerConfig =
  | {
      readonly type?: 'stdio'
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | McpSdkServerConfig

/** Answers a form or a page of an MCP server. */
export type OnElicitation = (
  request: {
    readonly serverName: string
    readonly message: string
    readonly mode?: 'form' | 'url'
    readonly url?: string
    readonly requestedSchema?: Readonly<Record<string, unknown>>
  },
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<{ readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Readonly<Record<string, unknown>> }>

/** Options of `query`, named as in the Agent SDK. docs/sdk.md lists what differs. */
export interface Options {
  readonly abortController?: AbortController
  readonly additionalDirectories?: readonly string[]
  readonly agent?: string
  readonly agentProgressSummaries?: boolean
  readonly agents?: Readonly<Record<string, AgentDefinition>>
  readonly allowDangerouslySkipPermissions?: boolean
  readonly allowedTools?: readonly string[]
  readonly betas?: readonly string[]
  readonly canUseTool?: CanUseTool
  readonly continue?: boolean
  readonly cwd?: string
  readonly debug?: boolean
  readonly debugFile?: string
  readonly disallowedTools?: readonly string[]
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  readonly enableFileCheckpointing?: boolean
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly extraArgs?: Readonly<Record<string, string | null>>
  readonly fallbackModel?: string
  readonly forkSession?: boolean
  readonly forwardSubagentText?: boolean
  readonly hooks?: Readonly<Partial<Record<HookEvent, readonly HookCallbackMatcher[]>>>
  readonly includeHookEvents?: boolean
  readonly includePartialMessages?: boolean
  readonly maxBudgetUsd?: number
  readonly maxThinkingTokens?: number
  readonly maxTurns?: number
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  readonly model?: string
  readonly onElicitation?: OnElicitation
  readonly outputFormat?: { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> }
  readonly permissionMode?: PermissionMode
  readonly permissionPromptToolName?: string
  readonly persistSession?: boolean
  readonly planModeInstructions?: string
  readonly plugins?: readonly { readonly type: 'local'; readonly path: string }[]
  readonly promptSuggestions?: boolean
  readonly resume?: string
  readonly resumeSessionAt?: string
  readonly sandbox?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  readonly sessionStore?: SessionStore
  readonly settingSources?: readonly ('user' | 'project' | 'local')[]
  readonly settings?: string | Readonly<Record<string, unknown>>
  readonly skills?: readonly string[] | 'all'
  readonly stderr?: (text: string) => void
  readonly strictMcpConfig?: boolean
  readonly systemPrompt?:
    | string
    | readonly string[]
    | { readonly type: 'custom'; readonly prompt: string | readonly string[] }
    | { readonly type: 'preset'; readonly preset: 'claude_code'; readonly append?: string }
  readonly taskBudget?: { readonly total: number }
  readonly thinking?:
    | { readonly type: 'adaptive' | 'disabled' }
    | { readonly type: 'enabled'; readonly budgetTokens?: number }
  readonly title?: string
  readonly toolAliases?: Readonly<Record<string, string>>
  readonly tools?: readonly string[] | { readonly type: 'preset'; readonly preset: 'claude_code' }
}
