import { askClassifier, type CallEffects, type ClassifierRequest } from '../auto-mode/classifier.js'
import { NO_DENIALS, shouldFallBackToAsking } from '../auto-mode/denial-tracking.js'
import { localClassifier } from '../auto-mode/local-classifier.js'
import type { CallFacts } from '../facts/call-facts.js'
import { arePathsInside } from '../rules/find-allowance.js'
import { allow, deny, type Journey, note, type PermissionOutcome, type Question, reasonText } from './decision.js'
import type { DecisionPorts } from './decision-request.js'
import { isFileEditInside } from './suggest-updates.js'
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

/** Lets the classifier answer in place of the person; without an opinion, or after too many denials, the person does. */
export async function askInAutoMode(
  journey: Journey,
  { classifier = localClassifier, classifierTimeoutMs }: DecisionPorts,
  question: Question,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const { call, request, trace } = journey
  const input = classifierInput(call)
  if (input === undefined) {
    note(trace, 'classifier', 'pass', 'the tool gives the classifier nothing to judge')
    return askPerson(journey, question, opinion)
  }
  if (shouldFallBackToAsking(request.denials ?? NO_DENIALS)) {
    note(trace, 'classifier', 'pass', 'it denied too often')
    return askPerson(journey, withNote(question, 'The classifier denied too many calls.'), opinion, { stopsRun: true })
  }
  const asked: ClassifierRequest = {
    userRequest: request.userRequest ?? '',
    toolName: call.tool.name,
    input,
    effects: effectsOf(call),
  }
  const answer = await askClassifier(classifier, asked, {
    signal: request.toolContext.signal,
    ...(classifierTimeoutMs !== undefined && { timeoutMs: classifierTimeoutMs }),
  })
  if (answer === undefined) {
    note(trace, 'classifier', 'pass', 'it failed')
    return askPerson(journey, withNote(question, 'The classifier failed.'), opinion, { stopsRun: true })
  }
  const reason = { type: 'classifier', text: answer.reason } as const
  if (answer.verdict === 'allow') return allow(journey, 'classifier', reason, opinion)
  if (answer.verdict === 'deny') {
    return deny(
      journey,
      'classifier',
      reason,
      `The classifier of auto mode denied ${call.tool.name}: ${answer.reason}.`,
    )
  }
  note(trace, 'classifier', 'pass', `no opinion: ${answer.reason}`)
  return askPerson(journey, question, opinion)
}

function withNote(question: Question, text: string): Question {
  return { ...question, message: `${text} ${question.message}` }
}

/** Undefined where the tool leaves the classifier no say. */
function classifierInput({ tool, input }: CallFacts): unknown {
  try {
    const given: unknown = tool.toAutoClassifierInput(input)
    return given === '' || given === null ? undefined : given
  } catch {
    return undefined
  }
}

function effectsOf(call: CallFacts): CallEffects {
  const { command } = call
  return {
    isReadOnly: call.isReadOnly,
    isInside: arePathsInside(call),
    isFileEdit: isFileEditInside(call),
    network: call.network,
    areEffectsKnown: command === undefined ? call.isExact : !call.isOpenEnded && command.commands.length > 0,
    ...(command !== undefined && {
      commands: command.commands.flatMap(({ canonical }) => canonical.map(({ text }) => text)),
    }),
  }
}
