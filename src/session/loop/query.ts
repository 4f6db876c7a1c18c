import type { Message } from '../../contract/messages.js'
import { counted } from '../../shared/counted.js'
import { addMessage } from '../add-message.js'
import { Spending } from '../agents/spending.js'
import type { QueryEnd, SessionEvent } from '../session-event.js'
import { AnswerJudge, type NextStep } from './judge-answer.js'
import { LoopGuard } from './loop-guard.js'
import { makeRoom } from './make-room.js'
import { NUDGES } from './nudges.js'
import type { QueryOptions, TakenIn } from './query-options.js'
import { QueryState } from './query-state.js'
import { requestAnswer } from './request-answer.js'

/**
 * Takes a conversation on until the model has nothing more to do: asks it, runs its calls while it still speaks, gives it
 * their results, and again. However it ends, the conversation can go on later.
 */
export async function* query(given: QueryOptions): AsyncGenerator<SessionEvent, QueryEnd> {
  const options = { ...given, spending: given.spending ?? new Spending() }
  const state = new QueryState(options)
  const steps = takeSteps(options, state)
  try {
    for (;;) {
      const { done, value } = await steps.next()
      if (done === true) return state.end(value.reason, told(value))
      state.watch(value)
      yield value
    }
  } finally {
    await steps.return({ reason: 'interrupted' })
  }
}

type StepsEnd = Pick<QueryEnd, 'reason' | 'message' | 'error'>

async function* takeSteps(options: QueryOptions, state: QueryState): AsyncGenerator<SessionEvent, StepsEnd> {
  const judge = new AnswerJudge(new LoopGuard())
  yield* unknownPrices(options)
  for (;;) {
    const end = limitReached(options, state) ?? (yield* takeTurn(options, state, judge))
    if (options.signal.aborted && end?.reason !== 'completed') return yield* interrupted(options)
    if (end !== undefined) return end
  }
}

/** One answer of the model with all its calls. Gives the end where it is one; who was interrupted finds nothing. */
async function* takeTurn(
  options: QueryOptions,
  state: QueryState,
  judge: AnswerJudge,
): AsyncGenerator<SessionEvent, StepsEnd | undefined> {
  const { conversation, runtime, signal } = options
  const { stop } = yield* takeIn(options)
  if (stop !== undefined) return stopped(stop)
  yield* makeRoom(options, state, 'before_request')
  if (signal.aborted) return undefined
  const read = yield* requestAnswer(options, state)
  if ('reason' in read) return read
  state.countAnswer(read, conversation.messages)
  if (signal.aborted) return undefined
  return yield* takeStep(judge.judge(read, runtime.pool), options, state)
}

async function* takeStep(
  step: NextStep,
  options: QueryOptions,
  state: QueryState,
): AsyncGenerator<SessionEvent, StepsEnd | undefined> {
  switch (step.type) {
    case 'end':
      return step
    case 'complete':
      return yield* complete(options, state)
    case 'make_room':
      return (yield* makeRoom(options, state, 'too_long')) ? undefined : CONTEXT_FULL
    case 'go_on':
      if (step.nudge !== undefined) yield say(options, step.nudge)
      return undefined
  }
}

const CONTEXT_FULL: StepsEnd = { reason: 'context_full', message: 'The window of the model is full.' }

/** The end, unless somebody has more to say; then nothing. */
async function* complete(options: QueryOptions, state: QueryState): AsyncGenerator<SessionEvent, StepsEnd | undefined> {
  const { hasMore, stop } = yield* takeIn(options)
  if (stop !== undefined) return stopped(stop)
  if (hasMore) return undefined
  const answer = options.host?.beforeEnd === undefined ? undefined : yield* options.host.beforeEnd(state)
  if (options.signal.aborted) return undefined
  if (answer?.type === 'stop') return stopped(answer.message)
  if (answer?.type === 'go_on') {
    for (const message of answer.messages) yield addMessage(options.conversation, message)
    return undefined
  }
  // The user may have spoken while others were asked.
  return (yield* takeIn(options)).hasMore ? undefined : { reason: 'completed' }
}

async function* takeIn({ host }: QueryOptions): AsyncGenerator<SessionEvent, TakenIn> {
  return host?.takeIn === undefined ? { hasMore: false } : yield* host.takeIn()
}

function stopped(message: string): StepsEnd {
  return { reason: 'stopped_by_hook', message }
}

async function* interrupted(options: QueryOptions): AsyncGenerator<SessionEvent, StepsEnd> {
  yield say(options, NUDGES.interrupted)
  return { reason: 'interrupted' }
}

function say({ conversation }: QueryOptions, text: string): SessionEvent {
  const message: Message = { type: 'system', content: text }
  return addMessage(conversation, message)
}

function limitReached({ maxTurns, maxBudgetUsd, spending }: QueryOptions, state: QueryState): StepsEnd | undefined {
  if (maxTurns !== undefined && state.turns >= maxTurns)
    return { reason: 'max_turns', message: `Stopped after ${counted(maxTurns, 'turn')}, as was asked for.` }
  const costUsd = spending?.top.costUsd
  if (maxBudgetUsd === undefined || costUsd === undefined || costUsd < maxBudgetUsd) return undefined
  return { reason: 'max_budget', message: `The budget of $${maxBudgetUsd} is used up: $${costUsd.toFixed(4)}.` }
}

function* unknownPrices({ model, maxBudgetUsd }: QueryOptions): Generator<SessionEvent, void> {
  if (maxBudgetUsd === undefined || model.facts.prices !== undefined) return
  const text = `The prices of ${model.id} are not known, so that the budget of $${maxBudgetUsd} cannot be kept.`
  yield { type: 'notice', level: 'warning', text }
}

function told({ message, error }: StepsEnd): Pick<StepsEnd, 'message' | 'error'> {
  return { ...(message !== undefined && { message }), ...(error !== undefined && { error }) }
}
