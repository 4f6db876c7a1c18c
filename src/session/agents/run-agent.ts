import { randomBytes } from 'node:crypto'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome } from '../../contract/ports/agents.js'
import { formatCounted } from '../../shared/counted.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { EndReason, QueryEnd } from '../conversation/session-event.js'
import { runEventHooks } from '../hooks/run-event-hooks.js'
import type { AgentKind } from './agent-kinds.js'
import { AgentLoop } from './agent-loop.js'
import type { AgentRunOptions, AgentsContext, AgentTask } from './agent-setting.js'
import { type OpenedAgent, openAgent } from './open-agent.js'
import type { WorktreeEnd } from './worktree.js'

/** Prepares a sub-agent, runs it until it ends, and cleans up. */
export async function runAgent(
  task: AgentTask,
  context: AgentsContext,
  options: AgentRunOptions,
): Promise<AgentOutcome> {
  const startedAt = performance.now()
  const agentId = options.agentId ?? createAgentId(task.kind)
  const agent = await openAgent({ ...task, agentId }, context, options.signal)
  try {
    const end = await runLoop(agent, task, context, options)
    const worktreeEnd = await agent.close()
    return toOutcome(end, { agent, worktreeEnd, durationMs: Math.round(performance.now() - startedAt) })
  } catch (error) {
    const { notes, keptWorktree } = await agent.close()
    if (keptWorktree === undefined && notes.length === 0) throw error
    const details =
      keptWorktree === undefined
        ? notes
        : [...notes, `Its changes are in ${keptWorktree.path}, on the branch ${keptWorktree.branch}.`]
    throw new ToolCallError('tool_failed', [reasonOf(error), ...details].join(' '), { cause: error })
  }
}

/** Returns a new id that begins with the kind, and that is valid in the names of files and branches. */
export function createAgentId({ name }: AgentKind): string {
  const prefix = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${prefix.slice(0, 32) || 'agent'}-${randomBytes(4).toString('hex')}`
}

async function runLoop(
  agent: OpenedAgent,
  task: AgentTask,
  context: AgentsContext,
  runOptions: AgentRunOptions,
): Promise<QueryEnd> {
  const loop = new AgentLoop(agent, task, context, runOptions)
  const { signal } = runOptions
  await loop.begin()
  const end = await loop.run('SubagentStop')
  if (end.reason !== 'completed' && !signal.aborted) {
    // The agent cannot continue, so the outcome of these hooks is ignored.
    const payload = { ...loop.fields, stop_hook_active: false, last_assistant_message: end.text, reason: end.reason }
    await runEventHooks(agent.setting.runtime.hooks, 'SubagentStop', payload, { emit: () => {}, signal })
  }
  return end
}

interface AgentEnd {
  readonly agent: OpenedAgent
  readonly worktreeEnd: WorktreeEnd
  readonly durationMs: number
}

/** End reasons after which the agent's text is not an answer. */
const FAILED_REASONS: ReadonlySet<EndReason> = new Set<EndReason>(['model_failed', 'interrupted'])

/** Throws if the agent failed. The message contains its number of calls and its last text. */
function toOutcome(end: QueryEnd, { agent, worktreeEnd, durationMs }: AgentEnd): AgentOutcome {
  const { setting, agentId } = agent
  const { costUsd, tokens, toolUses } = setting.spending
  const notes = [...agent.notes, ...worktreeEnd.notes]
  const problem = describeEnd(end)
  if (problem !== undefined && FAILED_REASONS.has(end.reason)) {
    const worktreeNotes =
      worktreeEnd.keptWorktree === undefined
        ? []
        : [`Its changes are in ${worktreeEnd.keptWorktree.path}, on the branch ${worktreeEnd.keptWorktree.branch}.`]
    const text = end.text.trim() === '' ? [] : [`Its last message: ${end.text.trim()}`]
    const failure = `The agent failed after ${formatCounted(toolUses, 'call')}: ${problem}`
    throw new ToolCallError(
      end.reason === 'interrupted' ? 'cancelled' : 'tool_failed',
      [failure, ...text, ...worktreeNotes, ...notes].join(' '),
      ...(end.error === undefined ? [] : [{ cause: end.error }]),
    )
  }
  return {
    ...{ agentId, text: end.text, tokens, toolUses, durationMs },
    ...(costUsd !== undefined && { costUsd }),
    ...(problem !== undefined && { cutShort: problem }),
    ...(worktreeEnd.keptWorktree !== undefined && { worktree: worktreeEnd.keptWorktree }),
    ...(notes.length > 0 && { notes }),
  }
}

const END_TEXTS: Readonly<Partial<Record<EndReason, string>>> = {
  interrupted: 'it was interrupted.',
  max_turns: 'it reached its limit of turns.',
  max_budget: 'the budget is used up.',
  refused: 'its model declined to continue.',
  max_output: 'its answer exceeded the output limit of its model.',
  context_full: 'the context window of its model is full.',
  model_failed: 'its model failed.',
  stopped_by_hook: 'a hook stopped it.',
  stopped_by_permissions: 'its calls were denied too often.',
  stuck: 'it kept repeating the same call.',
}

/** Returns undefined if the agent completed its task. */
export function describeEnd({ reason, message, error }: QueryEnd): string | undefined {
  if (reason === 'completed') return undefined
  const detail = message ?? error?.message
  return [END_TEXTS[reason] ?? `${reason}.`, ...(detail === undefined ? [] : [detail])].join(' ')
}
