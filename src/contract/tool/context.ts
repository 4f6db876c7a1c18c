import type { CommandAnalysis } from '../command.js'
import type { Message } from '../messages.js'
import type { PermissionMode } from '../permission/context.js'
import type { PermissionDecision } from '../permission/result.js'
import type { PortName, Ports } from '../ports/index.js'

/**
 * The context that every call gets. Generic in the tool type, because tools receive a context and the context lists
 * tools; `tool.ts` fills in the tool type.
 */
export interface CoreContext<AnyTool> {
  readonly toolUseId: string
  /** The call whose tool made this call; undefined for a call of the model, which gets the result. */
  readonly parentToolUseId?: string
  readonly cwd: string
  readonly abortController: AbortController
  readonly signal: AbortSignal
  readonly messages: readonly Message[]
  readonly options: ContextOptions<AnyTool>
  readonly queryTracking: { readonly chainId: string; readonly depth: number }
  /** The sub-agent that makes the call; undefined in the main conversation. */
  readonly agentId?: string
  /** The name of the tool, if an explicit allow rule covers the call. Set only in `call`, and not in copies of the context. */
  readonly toolAllowedByRule?: string | undefined
  /** The page of `getWebTarget` that the last decision was about, also of a nested call. Copies of the context do not have it. */
  readonly judgedUrl?: string | undefined
  /** The analysis of the tool's `command`, in `checkPermissions` and `call`. Copies of the context do not have it. */
  readonly command?: CommandAnalysis | undefined
}

/** The tools, commands, agents, MCP servers and model of the session. */
export interface ContextOptions<AnyTool> {
  readonly tools: readonly AnyTool[]
  readonly commands: readonly SlashCommand[]
  readonly mainLoopModel: string
  readonly thinkingConfig: ThinkingConfig
  readonly mcpClients: readonly McpClientState[]
  readonly agentDefinitions: readonly AgentDefinition[]
}

/** A command that the user can enter as `/name`. */
export interface SlashCommand {
  readonly name: string
  readonly description: string
  /** Set if the command is a skill. */
  readonly skill?: SkillSource
}

/** A skill: instructions in their own folder, read on demand. */
export interface SkillSource {
  /** The file with the instructions, links not resolved; `SKILL.md` in `folder` if left out. */
  readonly file?: string
  /** Absolute path of the folder with the other files of the skill. */
  readonly folder: string
  /** Whether only the user may invoke the skill, not the model. */
  readonly isUserInvocableOnly: boolean
  /** Returns the instructions without the front matter. */
  read(): Promise<string>
}

/** A slash command that loads the instructions of a skill. */
export interface Skill extends SlashCommand {
  readonly skill: SkillSource
}

/** Whether the model thinks before it answers, and with how many tokens at most. */
export type ThinkingConfig =
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled'; readonly budgetTokens: number }
  | { readonly type: 'adaptive' }

/** The connection state of an MCP server. */
export interface McpClientState {
  readonly name: string
  readonly status: 'pending' | 'connected' | 'failed' | 'disabled' | 'needs-auth'
  /** Whether its tools are known from an earlier session, so that nobody has to wait for it. */
  readonly isCached?: boolean
  /** What the server says about the use of its tools: plain text of limited length. */
  readonly instructions?: string
}

/** A kind of sub-agent. */
export interface AgentDefinition {
  readonly name: string
  /** When to use it, for the model. */
  readonly description: string
  /** Names of the tools it may call; `mcp__server` for all tools of a server. All tools if left out. */
  readonly tools?: readonly string[]
  /** Names of tools it may not call. */
  readonly disallowedTools?: readonly string[]
  /** The name of a model. If left out or `inherit`, the model of the caller. */
  readonly model?: string
  readonly permissionMode?: PermissionMode
  /** Maximum number of requests to its model. */
  readonly maxTurns?: number
}

/** The core context plus the ports in `needs`. Using another port does not compile, and it is missing at run time. */
export type LayeredContext<AnyTool, Needs extends PortName> = CoreContext<AnyTool> & Pick<Ports, Needs>

/** Runs the steps of a nested call up to and including the permission decision. */
export type CanUseToolFunction<AnyTool> = (tool: AnyTool, input: unknown) => Promise<PermissionDecision>

/**
 * Changes the working directory and the options of later calls, also those of later messages. Applied in call order after all
 * earlier calls have ended. `tools`, `commands` and `mcpClients` are computed anew for every message.
 */
export type ContextModifier<AnyTool> = (context: CoreContext<AnyTool>) => CoreContext<AnyTool>
