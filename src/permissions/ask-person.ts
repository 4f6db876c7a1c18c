import { deny, type Journey } from './journey.js'
import type { PermissionOutcome } from './permission-outcome.js'
import type { Question } from './question.js'
import type { ToolOpinion } from './tool-opinion.js'
import { note, reasonText } from './trace.js'

/** Puts the question to the person; where there is none, denies with advice on which rule would allow the call. */
export function askPerson(
  journey: Journey,
  question: Question,
  { updatedInput, preview }: ToolOpinion,
  { stopsRun = false } = {},
): PermissionOutcome {
  const { request, trace } = journey
  const { reason, message, suggestions } = question
  if (!request.canAsk) {
    const told = `${message} Nobody can be asked here. ${adviceFor(question)}`
    return { ...deny(journey, 'question', reason, told), lacksPerson: true, ...(stopsRun && { stopsRun }) }
  }
  note(trace, 'question', 'ask', reasonText(reason))
  return {
    behavior: 'ask',
    reason,
    message,
    suggestions,
    trace,
    ...(question.isOpen && { isOpen: true as const }),
    ...(updatedInput !== undefined && { updatedInput }),
    ...(preview !== undefined && { preview }),
  }
}

/** What would have to change for the call to pass without a question. */
export function adviceFor({ isOpen, reason, suggestions }: Question): string {
  const rules = suggestions.flatMap((update) =>
    update.type === 'addRules' && update.behavior === 'allow' ? update.rules : [],
  )
  // No rule lifts a question that only a person can answer.
  if (isOpen && rules.length > 0) {
    const list = rules.map((rule) => JSON.stringify(rule)).join(', ')
    return `To allow it, add ${list} to permissions.allow in .haft/settings.json, or pass it with --allowed-tools.`
  }
  if (reason.type === 'rule')
    return `It passes only without ${JSON.stringify(reason.rule)}, or with the answer of a person.`
  return isOpen
    ? 'No narrow rule allows it; ask a person, or do it in smaller steps.'
    : 'No rule allows it; only a person can.'
}
