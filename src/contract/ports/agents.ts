import type { AssistantMessage, Message } from '../messages.js'

/** A request to run a sub-agent. */
export interface AgentRequest {
  /** A few words for the user interface. */
  readonly description: string
  readonly prompt: string
  /** The name of one of the `agentDefinitions`. */
  readonly kind: string
  /** Replaces the model of the agent definition; `inherit` is the model of the caller. */
  readonly model?: string
  readonly isolation?: 'worktree'
  /** Makes the agent a member of the team under this name. It then runs in the background and waits for messages. */
  readonly name?: string
  /** The id of the call that starts the agent. */
  readonly toolUseId: string
  readonly cwd: string
  /** The conversation of the caller when its model made the call; a forked agent starts with it. */
  readonly messages: readonly Message[]
  readonly parentMessage: AssistantMessage
}

/** What a sub-agent has done so far, including its own sub-agents. */
export interface AgentProgress {
  readonly agentId: string
  /** The tool that is running now. */
  readonly toolName?: string
  readonly tokens: number
  readonly toolUses: number
}

/** A worktree that an agent left behind because it contains changes. */
export interface AgentWorktree {
  readonly path: string
  readonly branch: string
}

/** What a sub-agent returns to its caller when it ends. */
export interface AgentOutcome {
  readonly agentId: string
  /** Its last message. */
  readonly text: string
  readonly tokens: number
  readonly toolUses: number
  readonly durationMs: number
  /** In US dollars; left out if the price of a model is unknown. */
  readonly costUsd?: number
  /** Why the agent ended before it was done, for the model. */
  readonly cutShort?: string
  readonly worktree?: AgentWorktree
  /** Further remarks for the caller, such as a folder that could not be removed. */
  readonly notes?: readonly string[]
}

/** Runs sub-agents, either until they end or in the background. */
export interface AgentsPort {
  /** Resolves when the agent ends; rejects with a `ToolCallError` if there is no result. */
  run(
    request: AgentRequest,
    options: { readonly signal: AbortSignal; readonly onProgress?: (progress: AgentProgress) => void },
  ): Promise<AgentOutcome>
  /** Starts the agent in the background, as a task of the tasks port. */
  start(request: AgentRequest): Promise<StartedAgent>
}

/** An agent that runs in the background. */
export interface StartedAgent {
  readonly taskId: string
  readonly agentId: string
  /** The team that the agent has joined. */
  readonly team?: string
}

/** The agent definition that is used if a call names none. */
export const DEFAULT_AGENT_KIND = 'general-purpose'

/** Read-only kinds. They are always limited to reading, even if redefined, so that several can run in parallel. */
const READ_ONLY_AGENT_KINDS: readonly string[] = ['Explore', 'Plan']

/** Compares kinds without regard to letter case, in calls and in rules: another spelling must not bypass a rule. */
export function isSameAgentKind(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

export function isReadOnlyAgentKind(name: string): boolean {
  return READ_ONLY_AGENT_KINDS.some((kind) => isSameAgentKind(kind, name))
}

/** Finds an agent definition by name. An exact match is preferred to one that differs in letter case. */
export function findAgentKind<Kind extends { readonly name: string }>(
  kinds: readonly Kind[],
  name: string,
): Kind | undefined {
  return kinds.find((kind) => kind.name === name) ?? kinds.find((kind) => isSameAgentKind(kind.name, name))
}
