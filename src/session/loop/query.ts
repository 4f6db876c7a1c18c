import { formatCounted } from '../../shared/counted.js'
import { addMessage } from '../conversation/conversation.js'
import type { QueryEnd } from '../conversation/session-event.js'
import { Spending } from '../conversation/spending.js'
import { AnswerJudge, type NextStep, NUDGES } from './judge-answer.js'
import type { PendingInput, QueryOptions } from './query-options.js'
import { type ActiveQuery, QueryState } from './query-state.js'
import { requestAnswer, shortenConversation } from './request-answer.js'

/**
 * Runs the model loop until the model has nothing more to do: sends the conversation, runs the calls of the answer while
 * it is still being received, adds their results, and repeats. However it ends, the conversation can be continued.
 */
export async function query(options: QueryOptions): Promise<QueryEnd> {
  const { signal, onEvent, spending = new Spending() } = options
  const state = new QueryState({ ...options, spending })
  const controller = new AbortController()
  const abort = () => controller.abort()
  let failure: { readonly error: unknown } | undefined
  const emit: ActiveQuery['emit'] = (event) => {
    state.watch(event)
    if (failure !== undefined) return
    try {
      onEvent?.(event)
    } catch (error) {
      failure = { error }
      abort()
    }
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  try {
    const { reason, message, error } = await runTurns({ ...options, spending, state, emit, signal: controller.signal })
    const end = state.end(reason, { ...(message !== undefined && { message }), ...(error !== undefined && { error }) })
    if (failure !== undefined) throw failure.error
    return end
  } catch (error) {
    // No call may continue after the query has ended.
    abort()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

type TurnEnd = Pick<QueryEnd, 'reason' | 'message' | 'error'>

async function runTurns(query: ActiveQuery): Promise<TurnEnd> {
  const { signal } = query
  const judge = new AnswerJudge()
  warnOfUnknownPrices(query)
  for (;;) {
    const end = checkLimits(query) ?? (await runTurn(query, judge))
    if (signal.aborted && end?.reason !== 'completed') {
      addNudge(query, NUDGES.interrupted)
      return { reason: 'interrupted' }
    }
    if (end !== undefined) return end
  }
}

/** Requests one answer and runs all its calls. Returns the end, or undefined to continue or when interrupted. */
async function runTurn(query: ActiveQuery, judge: AnswerJudge): Promise<TurnEnd | undefined> {
  const { conversation, runtime, signal, state } = query
  const { stop } = await addPendingInput(query)
  if (stop !== undefined) return endByHook(stop)
  await shortenConversation(query, 'before_request')
  if (signal.aborted) return undefined
  const answerOrEnd = await requestAnswer(query)
  if ('reason' in answerOrEnd) return answerOrEnd
  state.countAnswer(answerOrEnd, conversation.messages)
  if (signal.aborted) return undefined
  return takeStep(query, judge.judge(answerOrEnd, runtime.pool))
}

async function takeStep(query: ActiveQuery, step: NextStep): Promise<TurnEnd | undefined> {
  switch (step.type) {
    case 'end':
      return step
    case 'complete':
      return completeQuery(query)
    case 'shorten':
      return (await shortenConversation(query, 'too_long')) ? undefined : CONTEXT_FULL_END
    case 'continue':
      if (step.nudge !== undefined) addNudge(query, step.nudge)
      return undefined
  }
}

const CONTEXT_FULL_END: TurnEnd = {
  reason: 'context_full',
  message: 'The context window of the model is full. Start a new session.',
}

/** Returns the end, or undefined if there is more to do. */
async function completeQuery(query: ActiveQuery): Promise<TurnEnd | undefined> {
  const { host, signal, state } = query
  const { hasMore, stop } = await addPendingInput(query)
  if (stop !== undefined) return endByHook(stop)
  if (hasMore) return undefined
  const answer = await host?.beforeEnd?.(state)
  if (signal.aborted) return undefined
  if (answer?.type === 'stop') return endByHook(answer.message)
  if (answer?.type === 'continue') {
    for (const message of answer.messages) addMessage(query, message)
    return undefined
  }
  // The user may have added input while `beforeEnd` ran.
  return (await addPendingInput(query)).hasMore ? undefined : { reason: 'completed' }
}

async function addPendingInput({ host }: ActiveQuery): Promise<PendingInput> {
  return (await host?.addPendingInput?.()) ?? { hasMore: false }
}

function endByHook(message: string): TurnEnd {
  return { reason: 'stopped_by_hook', message }
}

function addNudge(query: ActiveQuery, text: string): void {
  addMessage(query, { type: 'system', content: text })
}

function checkLimits({ maxTurns, maxBudgetUsd, spending, state }: ActiveQuery): TurnEnd | undefined {
  if (maxTurns !== undefined && state.turns >= maxTurns)
    return { reason: 'max_turns', message: `Stopped at the limit of ${formatCounted(maxTurns, 'turn')}.` }
  const costUsd = spending?.root.costUsd
  if (maxBudgetUsd === undefined || costUsd === undefined || costUsd < maxBudgetUsd) return undefined
  return { reason: 'max_budget', message: `The budget of $${maxBudgetUsd} is used up: $${costUsd.toFixed(4)}.` }
}

function warnOfUnknownPrices({ state: { model }, maxBudgetUsd, emit }: ActiveQuery): void {
  if (maxBudgetUsd === undefined || model.facts.prices !== undefined) return
  const text = `The prices of ${model.id} are unknown, so the budget of $${maxBudgetUsd} cannot be enforced.`
  emit({ type: 'notice', level: 'warning', text })
}
