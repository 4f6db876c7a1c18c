import type { Message } from '../messages.js'
import type { PermissionMode } from '../permission/context.js'
import type { PermissionDecision } from '../permission/result.js'
import type { PortName, Ports } from '../ports/index.js'

/**
 * What every call gets, whatever it needs. Generic in the type of a tool, because tools take a context
 * and the context lists tools: `tool.ts` closes the loop.
 */
export interface CoreContext<AnyTool> {
  readonly toolUseId: string
  readonly cwd: string
  readonly abortController: AbortController
  readonly signal: AbortSignal
  readonly messages: readonly Message[]
  readonly options: ContextOptions<AnyTool>
  readonly queryTracking: { readonly chainId: string; readonly depth: number }
  /** Left out in the main conversation. */
  readonly agentId?: string
  /** The tool whose call an allow rule covers, so that it does not run for seeming harmless. Not there before `call`, nor in a copy. */
  readonly toolAllowedByRule?: string | undefined
}

export interface ContextOptions<AnyTool> {
  readonly tools: readonly AnyTool[]
  readonly commands: readonly SlashCommand[]
  readonly mainLoopModel: string
  readonly thinkingConfig: ThinkingConfig
  readonly mcpClients: readonly McpClientState[]
  readonly agentDefinitions: readonly AgentDefinition[]
}

export interface SlashCommand {
  readonly name: string
  readonly description: string
  /** Set where the command is a skill. */
  readonly skill?: SkillSource
}

/** Instructions with a folder of their own, read when they are wanted. */
export interface SkillSource {
  /** Where its instructions were found, links not resolved; `SKILL.md` in its folder if left out. */
  readonly file?: string
  /** Absolute; what else belongs to the skill stands there. */
  readonly folder: string
  /** The user calls for it, and no model by itself. */
  readonly isForUserAlone: boolean
  /** The instructions, without what stands before them about the skill. */
  read(): Promise<string>
}

export interface Skill extends SlashCommand {
  readonly skill: SkillSource
}

export type ThinkingConfig =
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled'; readonly budgetTokens: number }
  | { readonly type: 'adaptive' }

export interface McpClientState {
  readonly name: string
  readonly status: 'pending' | 'connected' | 'failed' | 'disabled' | 'needs-auth'
}

/** A kind of sub-agent. */
export interface AgentDefinition {
  readonly name: string
  /** When to use it: the model reads it. */
  readonly description: string
  /** Names of the tools that it may call, `mcp__server` for all of a server; every tool if left out. */
  readonly tools?: readonly string[]
  /** Names of tools that it may not call. */
  readonly disallowedTools?: readonly string[]
  /** The name of a model; left out, or `inherit`, that of who asks. */
  readonly model?: string
  readonly permissionMode?: PermissionMode
  /** How often its model may be asked. */
  readonly maxTurns?: number
}

/** The core, and the ports that a tool named in `needs`: no other compiles, no other is there. */
export type LayeredContext<AnyTool, Needs extends PortName> = CoreContext<AnyTool> & Pick<Ports, Needs>

/** Takes a nested call through the steps up to and including permission. */
export type CanUseToolFunction<AnyTool> = (tool: AnyTool, input: unknown) => Promise<PermissionDecision>

/** Changes what later calls see; applied in call order once all earlier calls have ended. */
export type ContextModifier<AnyTool> = (context: CoreContext<AnyTool>) => CoreContext<AnyTool>
