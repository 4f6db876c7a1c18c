import { findToolByName } from '../../../contract/tool/identity.js'
import type { QueryEnd } from '../../../session/session-event.js'
import { isRecord } from '../../../shared/is-record.js'
import { builtInTools } from '../../../tools/index.js'
import type { TurnRecord } from './turn-record.js'

/** Where only a plan was wanted and nobody can approve it, the plan is the answer, and its approval is not missed. */
export function handOverPlan(end: QueryEnd, record: Pick<TurnRecord, 'inputOf'>): QueryEnd {
  const shown = end.denials.findLast(isPlan)
  const input = shown && record.inputOf(shown.toolUseId)
  if (end.reason !== 'completed' || !isRecord(input) || typeof input.plan !== 'string') return end
  const plan = input.plan.trim()
  const text = end.text.includes(plan) ? end.text : `${plan}\n\n${end.text}`.trim()
  return { ...end, text, denials: end.denials.filter((denial) => !isPlan(denial)) }
}

function isPlan({ toolName }: QueryEnd['denials'][number]): boolean {
  return findToolByName(builtInTools, toolName)?.submitsPlan === true
}
