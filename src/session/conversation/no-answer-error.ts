import type { EndReason, QueryEnd } from './session-event.js'

/** Thrown if a prompt ended without an answer. `end` has the last text, the cost and the denied calls. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly end: QueryEnd

  constructor(end: QueryEnd) {
    super(describeEnd(end), end.error === undefined ? undefined : { cause: end.error })
    this.end = end
  }

  get reason(): EndReason {
    return this.end.reason
  }
}

/** Returns the text of the answer; throws a `NoAnswerError` if there is none. */
export function requireAnswer(end: QueryEnd): string {
  if (end.reason !== 'completed') throw new NoAnswerError(end)
  return end.text
}

/** Returns one line that says why a prompt has no answer. */
export function describeEnd({ reason, message, error }: QueryEnd): string {
  return message ?? error?.message ?? END_MESSAGES[reason]
}

const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  completed: 'The model has answered.',
  interrupted: 'The prompt was interrupted.',
  max_turns: 'The turn limit is reached; change it with --max-turns or the option maxTurns.',
  max_budget: 'The budget is spent; change it with --max-budget-usd or the option maxBudgetUsd.',
  refused: 'The model declined to answer.',
  max_output: 'The answer exceeded the output limit of the model; ask for a shorter one.',
  context_full: 'The conversation no longer fits into the context window of the model; start a new session.',
  model_failed: 'The model failed without an error message.',
  stopped_by_hook: 'A hook ended the prompt.',
  stopped_by_permissions: 'Permission was needed, and there is no user to ask.',
  stuck: 'The model kept repeating the same call.',
}
