import { askInAutoMode } from './ask-in-auto-mode.js'
import { adviceFor, askPerson } from './ask-person.js'
import type { DecisionPorts } from './decision-request.js'
import { allow, deny, type Journey } from './journey.js'
import type { PermissionOutcome } from './permission-outcome.js'
import type { Question } from './question.js'
import type { ToolOpinion } from './tool-opinion.js'

/** Finds who answers a question: a hook, the mode, the classifier, a person, or nobody. */
export async function settleQuestion(
  journey: Journey,
  ports: DecisionPorts,
  question: Question,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const { hook, permissions } = journey.request
  if (question.isOpen && hook?.behavior === 'allow') {
    return allow(journey, 'hook', { type: 'hook', text: hook.reason ?? 'a PreToolUse hook allowed the call' }, opinion)
  }
  if (permissions.mode === 'dontAsk') {
    const text = `dontAsk denies what would be asked: ${question.reason.text}`
    return deny(
      journey,
      'mode',
      { ...question.reason, type: 'mode', text },
      `${question.message} ${adviceFor(question)}`,
    )
  }
  if (question.isOpen && permissions.mode === 'auto') return askInAutoMode(journey, ports, question, opinion)
  return askPerson(journey, question, opinion)
}
