import type { AssistantMessage, Message } from '../messages.js'

export interface AgentRequest {
  /** A few words for a person. */
  readonly description: string
  readonly prompt: string
  /** One of the kinds in `agentDefinitions`. */
  readonly kind: string
  /** In place of the kind's own model; `inherit` is the model of who asks. */
  readonly model?: string
  readonly isolation?: 'worktree'
  /** The call that asks for it. */
  readonly toolUseId: string
  /** Where the caller works now. */
  readonly cwd: string
  /** The conversation of the caller, as it was when its model made the call: a fork begins with it. */
  readonly messages: readonly Message[]
  readonly parentMessage: AssistantMessage
}

/** What a sub-agent has done so far, those below it included. */
export interface AgentProgress {
  readonly agentId: string
  /** The call that it makes now. */
  readonly toolName?: string
  readonly tokens: number
  readonly toolUses: number
}

/** A working folder of its own that an agent left behind, because there is something in it. */
export interface AgentWorktree {
  readonly path: string
  readonly branch: string
}

export interface AgentOutcome {
  readonly agentId: string
  /** What it said last. */
  readonly text: string
  readonly tokens: number
  readonly toolUses: number
  readonly durationMs: number
  /** In US dollars; left out where the prices of a model are not known. */
  readonly costUsd?: number
  /** Why it ended before it was done, in words for the model. */
  readonly cutShort?: string
  readonly worktree?: AgentWorktree
  /** What else the caller has to know, such as a folder that could not be removed. */
  readonly notes?: readonly string[]
}

/** Sub-agents. */
export interface AgentsPort {
  /** Ends with the agent; fails with a `ToolCallError` where there is nothing to show. */
  run(
    request: AgentRequest,
    options: { readonly signal: AbortSignal; readonly onProgress?: (progress: AgentProgress) => void },
  ): Promise<AgentOutcome>
  /** The agent goes on by itself as a task of the tasks port. */
  start(request: AgentRequest): Promise<{ readonly taskId: string; readonly agentId: string }>
}

/** The kind of agent that works where none is named. */
export const DEFAULT_AGENT_KIND = 'general-purpose'

/** Kinds that change nothing, whoever defines them: they are held to it, so that several can run side by side. */
const READING_AGENT_KINDS: readonly string[] = ['Explore', 'Plan']

/** Letter case does not count, in calls and in rules alike: a rule must not be passed by another spelling. */
export function isSameAgentKind(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

export function isReadingAgentKind(name: string): boolean {
  return READING_AGENT_KINDS.some((kind) => isSameAgentKind(kind, name))
}

export function findAgentKind<Kind extends { readonly name: string }>(
  kinds: readonly Kind[],
  name: string,
): Kind | undefined {
  return kinds.find((kind) => kind.name === name) ?? kinds.find((kind) => isSameAgentKind(kind.name, name))
}
