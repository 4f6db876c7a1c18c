import { waitAtMost } from '../../shared/waiting.js'
import { Classification } from '../auto-mode/classification.js'
import type { CallEffects, ClassifierAnswer, ClassifierRequest } from '../auto-mode/classifier.js'
import { NO_DENIALS, shouldFallBackToAsking } from '../auto-mode/denial-tracking.js'
import { localClassifier } from '../auto-mode/local-classifier.js'
import type { CallFacts } from '../facts/call-facts.js'
import { arePathsInside } from '../rules/find-allowance.js'
import {
  allow,
  type Decision,
  deny,
  formatReason,
  type PermissionOutcome,
  type Question,
  recordStage,
} from './decision.js'
import type { DecisionPorts } from './decision-request.js'
import { isFileEditInside } from './suggest-updates.js'
import type { ToolOpinion } from './tool-opinion.js'

/** Answers a question. The first of these that applies decides: a hook, the mode, the classifier, the user. */
export async function answerQuestion(
  decision: Decision,
  ports: DecisionPorts,
  question: Question,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const { hook, permissions } = decision.request
  if (question.isOpen && hook?.behavior === 'allow') {
    return allow(decision, 'hook', { type: 'hook', text: hook.reason ?? 'a PreToolUse hook allowed the call' }, opinion)
  }
  if (permissions.mode === 'dontAsk') {
    const text = `the mode dontAsk denies calls that need approval: ${question.reason.text}`
    return deny(
      decision,
      'mode',
      { ...question.reason, type: 'mode', text },
      `${question.message} ${createAdvice(question)}`,
    )
  }
  if (question.isOpen && permissions.mode === 'auto') return askInAutoMode(decision, ports, question, opinion)
  return askUser(decision, question, opinion)
}

/** Asks the user. If there is none, denies the call and advises which rule would allow it. */
function askUser(
  decision: Decision,
  question: Question,
  { updatedInput, preview }: ToolOpinion,
  { stopsRun = false } = {},
): PermissionOutcome {
  const { request, trace } = decision
  const { reason, message, suggestions } = question
  if (!request.canAsk) {
    const denialMessage = `${message} There is no user to ask. ${createAdvice(question)}`
    return { ...deny(decision, 'question', reason, denialMessage), needsUser: true, ...(stopsRun && { stopsRun }) }
  }
  recordStage(trace, 'question', 'ask', formatReason(reason))
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

/** Returns advice on how to allow the call without a question. */
function createAdvice({ isOpen, reason, suggestions }: Question): string {
  const rules = suggestions.flatMap((update) =>
    update.type === 'addRules' && update.behavior === 'allow' ? update.rules : [],
  )
  // A rule cannot answer a question that only the user may answer.
  if (isOpen && rules.length > 0) {
    const list = rules.map((rule) => JSON.stringify(rule)).join(', ')
    const isEdit = suggestions.some((update) => update.type === 'setMode' && update.mode === 'acceptEdits')
    const mode = isEdit
      ? ' The mode acceptEdits (--permission-mode acceptEdits) allows all edits in the working directories.'
      : ''
    return `To allow it, add ${list} to permissions.allow in .haft/settings.json of a trusted project (haft trust), or pass it with --allowed-tools.${mode}`
  }
  if (reason.type === 'rule')
    return `Only the user can allow it, now or by changing the rule ${JSON.stringify(reason.rule)}.`
  return isOpen
    ? 'No narrow rule allows it; ask the user, or do it in smaller steps.'
    : 'No rule allows it; only the user can.'
}

/**
 * How long a question waits for the classifier, and then for PermissionRequest hooks, before the user sees it. Most calls are
 * decided within this time, so that no question appears and disappears again.
 */
export const DEFAULT_QUESTION_DELAY_MS = 3_000

/** Lets the classifier answer. If it gives no verdict or has denied too often, the user is asked. */
async function askInAutoMode(
  decision: Decision,
  { classifier = localClassifier, classifierTimeoutMs, questionDelayMs = DEFAULT_QUESTION_DELAY_MS }: DecisionPorts,
  question: Question,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const { call, request, trace } = decision
  const input = classifierInputOf(call)
  if (input === undefined) {
    recordStage(trace, 'classifier', 'pass', 'the tool provides no input for the classifier')
    return askUser(decision, question, opinion)
  }
  if (shouldFallBackToAsking(request.denials ?? NO_DENIALS)) {
    recordStage(trace, 'classifier', 'pass', 'the classifier denied too many calls')
    return askUser(decision, withNote(question, 'The classifier denied too many calls.'), opinion, { stopsRun: true })
  }
  const classifierRequest: ClassifierRequest = {
    userRequest: request.userRequest ?? '',
    toolName: call.tool.name,
    input,
    effects: effectsOf(call),
  }
  const { signal } = request.toolContext
  const { classification = new Classification() } = request
  const answer = classification.ask(classifier, classifierRequest, {
    signal,
    ...(classifierTimeoutMs !== undefined && { timeoutMs: classifierTimeoutMs }),
  })
  const follow = (value: ClassifierAnswer | undefined, { trace }: Decision) =>
    followClassifier({ ...decision, trace }, value, question, opinion)
  if (request.classification === undefined || !request.canAsk) return follow(await answer, decision)
  const early = await waitAtMost(questionDelayMs, answer, signal)
  if (early !== undefined) return follow(early.value, decision)
  const laterDecision = { ...decision, trace: [...trace] }
  recordStage(trace, 'classifier', 'pass', 'the classifier has not answered yet')
  const laterOutcome = answer.then((value) => follow(value, laterDecision))
  return { ...askUser(decision, question, opinion), laterOutcome }
}

function followClassifier(
  decision: Decision,
  answer: ClassifierAnswer | undefined,
  question: Question,
  opinion: ToolOpinion,
): PermissionOutcome {
  const { call, trace } = decision
  if (answer === undefined) {
    recordStage(trace, 'classifier', 'pass', 'the classifier failed')
    return askUser(decision, withNote(question, 'The classifier failed.'), opinion, { stopsRun: true })
  }
  const reason = { type: 'classifier', text: answer.reason } as const
  if (answer.verdict === 'allow') return allow(decision, 'classifier', reason, opinion)
  if (answer.verdict === 'deny') {
    return deny(decision, 'classifier', reason, `The auto-mode classifier denied ${call.tool.name}: ${answer.reason}.`)
  }
  recordStage(trace, 'classifier', 'pass', `undecided: ${answer.reason}`)
  return askUser(decision, question, opinion)
}

function withNote(question: Question, text: string): Question {
  return { ...question, message: `${text} ${question.message}` }
}

/** Returns the input for the classifier; undefined if the tool provides none. */
function classifierInputOf({ tool, input }: CallFacts): unknown {
  try {
    const classifierText: unknown = tool.toAutoClassifierInput(input)
    return classifierText === '' || classifierText === null ? undefined : classifierText
  } catch {
    return undefined
  }
}

function effectsOf(call: CallFacts): CallEffects {
  const { command } = call
  return {
    isReadOnly: call.isReadOnly,
    isDestructive: call.isDestructive,
    isInside: arePathsInside(call),
    isFileEdit: isFileEditInside(call),
    network: call.network,
    areEffectsKnown: command === undefined ? call.isExact : !call.isOpenEnded && command.commands.length > 0,
    ...(command !== undefined && { commands: command.commands.map(({ words }) => toProgramWords(words)) }),
  }
}

/** Replaces the program with its base name in lower case. */
function toProgramWords([program, ...args]: readonly string[]): readonly string[] {
  return program === undefined ? [] : [program.slice(program.lastIndexOf('/') + 1).toLowerCase(), ...args]
}
