import type { ModelAnswer } from '../ask-once.js'
import { asModelError } from '../loop/as-model-error.js'
import { buildRequest } from '../loop/build-request.js'
import type { WindowState } from '../loop/context-keeper.js'
import { systemRetryClock } from '../loop/retry-clock.js'
import { RetryPolicy, type RetryStep } from '../loop/retry-policy.js'
import { runEventHooks } from '../run-event-hooks.js'
import type { SessionEvent } from '../session-event.js'
import { askForSummary } from './ask-for-summary.js'
import { carryOver } from './carry-over.js'
import type { ContextKeeperOptions } from './context-keeper-options.js'
import { messagesTokens } from './message-tokens.js'

interface Compaction extends ContextKeeperOptions {
  readonly at: WindowState
  /** Whether the user asked for it. */
  readonly trigger: 'auto' | 'manual'
  readonly tokensBefore: number
  /** What the user wants the summary to mind. */
  readonly instructions?: string
}

/** Puts a summary in place of what was said. Tells whether it did: a failure, or a hook that objects, leaves all as it is. */
export async function* compact(compaction: Compaction): AsyncGenerator<SessionEvent, boolean> {
  const { at, trigger, tokensBefore, instructions = '', state } = compaction
  const { conversation, runtime, signal } = at
  const before = conversation.messages
  const fields = { trigger, custom_instructions: instructions }
  const { outcome, events } = await runEventHooks(runtime.hooks, 'PreCompact', fields, signal)
  yield* events
  const objection = outcome.stop ?? outcome.blocked
  if (objection !== undefined) {
    yield warning(`The conversation was not compacted. ${objection}`)
    return false
  }
  const summary = yield* summaryOf(compaction, [instructions, ...outcome.additionalContext])
  if (typeof summary === 'string') {
    yield warning(`The conversation could not be compacted: ${summary}`)
    return false
  }
  at.onUsage(summary.usage)
  const messages = carryOver(before, summary.text, state?.() ?? {})
  conversation.rewrite(messages, 'compaction')
  // Before the rewrite is told of: whoever hears of it begins the session anew, and SessionStart comes after PostCompact.
  const after = await runEventHooks(runtime.hooks, 'PostCompact', { trigger, compact_summary: summary.text }, signal)
  yield { type: 'messages-rewritten', cause: 'compaction', tokensBefore, tokensAfter: messagesTokens(messages) }
  yield* after.events
  return true
}

/** The summary, or why there is none. What passes is waited for, as with every other request. */
async function* summaryOf(
  { at }: Compaction,
  wishes: readonly string[],
): AsyncGenerator<SessionEvent, ModelAnswer | string> {
  const { runtime, model, signal, retries = systemRetryClock } = at
  const policy = new RetryPolicy(retries.random)
  const instructions = wishes.filter((wish) => wish !== '')
  for (;;) {
    try {
      const request = await buildRequest(at, await runtime.definitions(model.facts))
      return await askForSummary(model, request, { instructions, signal })
    } catch (thrown) {
      const error = asModelError(thrown)
      const step = ofSameModel(policy.after(error))
      if (step.type === 'give_up') return step.message
      yield { type: 'request-retried', attempt: step.attempt, delayMs: step.delayMs, error }
      await retries.delay(step.delayMs, signal)
      if (signal.aborted) return error.message
    }
  }
}

/** Another model could not use the cache, and the next request may still go to it. */
function ofSameModel(step: RetryStep): Exclude<RetryStep, { readonly type: 'change_model' }> {
  return step.type === 'change_model' ? ofSameModel(step.otherwise) : step
}

function warning(text: string): SessionEvent {
  return { type: 'notice', level: 'warning', text }
}
