import { askClassifier } from './ask-classifier.js'
import { askPerson } from './ask-person.js'
import type { CallFacts } from './call-facts.js'
import type { CallEffects, ClassifierRequest } from './classifier.js'
import type { DecisionPorts } from './decision-request.js'
import { NO_DENIALS, shouldFallBackToAsking } from './denial-tracking.js'
import { arePathsInside } from './find-allowance.js'
import { allow, deny, type Journey } from './journey.js'
import { localClassifier } from './local-classifier.js'
import type { PermissionOutcome } from './permission-outcome.js'
import type { Question } from './question.js'
import { isFileEditInside } from './suggest-updates.js'
import type { ToolOpinion } from './tool-opinion.js'
import { note } from './trace.js'

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
