import { ToolCallError } from '../../contract/errors.js'
import type { AgentOutcome } from '../../contract/ports/agents.js'
import { counted } from '../../shared/counted.js'
import type { EndReason, QueryEnd } from '../conversation/session-event.js'
import type { OpenedAgent } from './open-agent.js'
import type { WorktreeEnd } from './worktree.js'

interface AgentEnd {
  readonly agent: OpenedAgent
  readonly left: WorktreeEnd
  readonly durationMs: number
}

/** Ends at which nothing that the agent said can be its answer. */
const FAILED: ReadonlySet<EndReason> = new Set<EndReason>(['model_failed', 'interrupted'])

/** What the caller is told; throws where the agent failed, with what it had done. */
export function endOfAgent(end: QueryEnd, { agent, left, durationMs }: AgentEnd): AgentOutcome {
  const { setting, agentId } = agent
  const { costUsd, tokens, toolUses } = setting.spending
  const notes = [...agent.notes, ...left.notes]
  const why = reasonFor(end)
  if (why !== undefined && FAILED.has(end.reason)) {
    const kept =
      left.kept === undefined ? [] : [`What it changed is in ${left.kept.path}, on the branch ${left.kept.branch}.`]
    const said = end.text.trim() === '' ? [] : [`It said last: ${end.text.trim()}`]
    const done = `The agent failed after ${counted(toolUses, 'call')}: ${why}`
    throw new ToolCallError(
      end.reason === 'interrupted' ? 'cancelled' : 'tool_failed',
      [done, ...said, ...kept, ...notes].join(' '),
      ...(end.error === undefined ? [] : [{ cause: end.error }]),
    )
  }
  return {
    ...{ agentId, text: end.text, tokens, toolUses, durationMs },
    ...(costUsd !== undefined && { costUsd }),
    ...(why !== undefined && { cutShort: why }),
    ...(left.kept !== undefined && { worktree: left.kept }),
    ...(notes.length > 0 && { notes }),
  }
}

const REASONS: Readonly<Partial<Record<EndReason, string>>> = {
  interrupted: 'it was interrupted.',
  max_turns: 'it took as many turns as it may.',
  max_budget: 'the budget is used up.',
  refused: 'its model declined to go on.',
  max_output: 'its answer was longer than its model can write.',
  context_full: 'the window of its model is full.',
  model_failed: 'its model failed.',
  stopped_by_hook: 'a hook stopped it.',
  stopped_by_permissions: 'its calls were refused too often.',
  stuck: 'it made the same call again and again.',
}

/** Undefined where it was done. */
function reasonFor({ reason, message, error }: QueryEnd): string | undefined {
  if (reason === 'completed') return undefined
  const told = message ?? error?.message
  return [REASONS[reason] ?? `${reason}.`, ...(told === undefined ? [] : [told])].join(' ')
}
