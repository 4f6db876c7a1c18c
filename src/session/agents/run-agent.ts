import { randomBytes } from 'node:crypto'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome } from '../../contract/ports/agents.js'
import { reasonOf } from '../../shared/reason-of.js'
import { Conversation } from '../conversation/conversation.js'
import type { QueryEnd, SessionEvent } from '../conversation/session-event.js'
import { runEventHooks } from '../hooks/run-event-hooks.js'
import { StopGate } from '../hooks/stop-gate.js'
import { query } from '../loop/query.js'
import { hookContext } from '../messages/hook-context.js'
import type { AgentKind } from './agent-kind.js'
import { DEFAULT_MAX_TURNS } from './agent-limits.js'
import type { AgentHow, AgentsAround, AgentTask } from './agent-task.js'
import type { AgentInfo, AgentsOptions } from './agents-options.js'
import { endOfAgent } from './end-of-agent.js'
import { type OpenedAgent, openAgent } from './open-agent.js'

/** The whole life of a sub-agent, from its folder to what is left of it. */
export async function runAgent(task: AgentTask, around: AgentsAround, how: AgentHow): Promise<AgentOutcome> {
  const startedAt = performance.now()
  const agentId = how.agentId ?? newAgentId(task.kind)
  const agent = await openAgent({ ...task, agentId }, around, how.signal)
  try {
    const end = await work(agent, task, around, how)
    const left = await agent.close()
    return endOfAgent(end, { agent, left, durationMs: Math.round(performance.now() - startedAt) })
  } catch (error) {
    const { notes, kept } = await agent.close()
    if (kept === undefined && notes.length === 0) throw error
    const rest =
      kept === undefined ? notes : [...notes, `What it did is in ${kept.path}, on the branch ${kept.branch}.`]
    throw new ToolCallError('tool_failed', [reasonOf(error), ...rest].join(' '), { cause: error })
  }
}

/** By its kind, so that a person knows it; fit to be a name of files and branches. */
export function newAgentId({ name }: AgentKind): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${word.slice(0, 32) || 'agent'}-${randomBytes(4).toString('hex')}`
}

async function work(agent: OpenedAgent, task: AgentTask, { options }: AgentsAround, how: AgentHow): Promise<QueryEnd> {
  const { setting, agentId, system } = agent
  const { runtime, model, conversationId, spending } = setting
  const { kind, request } = task
  const { signal } = how
  const info: AgentInfo = {
    ...{ agentId, kind: kind.name, description: request.description },
    ...{ depth: runtime.depth, toolUseId: request.toolUseId },
  }
  const path = options.transcripts?.agentPath?.(agentId)
  const fields = {
    agent_id: agentId,
    agent_type: kind.name,
    ...(path !== undefined && { agent_transcript_path: path }),
  }
  const emit = watcher(agent, info, options, how)
  const conversation = new Conversation([], options.transcripts?.agentLog(agentId))
  for (const message of agent.messages) conversation.add(message)

  const { stop, additionalContext } = await runEventHooks(runtime.hooks, 'SubagentStart', fields, { emit, signal })
  if (stop !== undefined) throw new ToolCallError('hook_blocked', `A SubagentStart hook stopped the agent: ${stop}`)
  if (additionalContext.length > 0) conversation.add(hookContext('SubagentStart', additionalContext))

  const gate = new StopGate({ hooks: runtime.hooks, event: 'SubagentStop', fields, emit, signal })
  const { maxTurns = DEFAULT_MAX_TURNS } = kind
  const { maxBudgetUsd } = options.main()
  const end = await query({
    ...options.query,
    ...{ runtime, model, system, conversation, signal, maxTurns, spending },
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    conversationId: conversationId ?? agentId,
    host: { beforeEnd: (end) => gate.ask(end) },
    ...(options.announce !== undefined && { announce: options.announce(runtime) }),
    onEvent: emit,
  })
  if (end.reason !== 'completed' && !signal.aborted) {
    // The agent cannot continue, so the outcome of these hooks is ignored.
    const payload = { ...fields, stop_hook_active: false, last_assistant_message: end.text, reason: end.reason }
    await runEventHooks(runtime.hooks, 'SubagentStop', payload, { emit: () => {}, signal })
  }
  return end
}

/** Counts the calls of the agent, and tells those who watch. */
function watcher(
  { setting, agentId }: OpenedAgent,
  info: AgentInfo,
  { onEvent }: AgentsOptions,
  { onProgress }: AgentHow,
): (event: SessionEvent) => void {
  const { spending } = setting
  let toolName: string | undefined
  return (event) => {
    const told = event.type === 'tool-event' ? event.event : undefined
    if (told?.type === 'call-queued') {
      toolName = told.toolName
      spending.addToolUse()
    }
    onEvent?.(event, info)
    if (event.type !== 'request-started' && told?.type !== 'call-queued') return
    const { tokens, toolUses } = spending
    onProgress?.({ agentId, tokens, toolUses, ...(toolName !== undefined && { toolName }) })
  }
}
