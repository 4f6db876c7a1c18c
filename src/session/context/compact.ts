import type { AppState } from '../../contract/ports/state.js'
import type { EmitEvent } from '../conversation/session-event.js'
import { runEventHooks } from '../hooks/run-event-hooks.js'
import type { ModelAnswer } from '../loop/ask-once.js'
import type { WindowState } from '../loop/query-options.js'
import { buildRequest } from '../loop/request-answer.js'
import { asModelError, RetryPolicy, type RetryStep, systemRetryClock } from '../loop/retry-policy.js'
import { askForSummary } from './ask-for-summary.js'
import { carryOver } from './carry-over.js'
import { estimateMessagesTokens } from './message-tokens.js'

interface Compaction {
  readonly at: WindowState
  readonly tokensBefore: number
  /** See `ContextKeeperOptions`. */
  readonly state?: (() => AppState) | undefined
}

/**
 * Replaces the conversation with a summary. Returns whether it did: after a failure, or if a hook objects, the
 * conversation is unchanged.
 */
export async function compact({ at, tokensBefore, state }: Compaction): Promise<boolean> {
  const { conversation, runtime, signal, emit, instructions = '' } = at
  const trigger = at.reason === 'requested' ? 'manual' : 'auto'
  const fields = { trigger, custom_instructions: instructions }
  const { stop, blocked, additionalContext } = await runEventHooks(runtime.hooks, 'PreCompact', fields, at)
  const objection = stop ?? blocked
  if (objection !== undefined) {
    warn(emit, `The conversation was not compacted. ${objection}`)
    return false
  }
  const summary = await requestSummary(at, [instructions, ...additionalContext])
  if (typeof summary === 'string') {
    warn(emit, `The conversation could not be compacted: ${summary}`)
    return false
  }
  at.onUsage(summary.usage)
  const messages = carryOver(conversation.messages, summary.text, state?.() ?? {})
  conversation.rewrite(messages, 'compaction')
  emit({ type: 'messages-rewritten', cause: 'compaction', tokensBefore, tokensAfter: estimateMessagesTokens(messages) })
  await runEventHooks(runtime.hooks, 'PostCompact', { trigger, compact_summary: summary.text }, { emit, signal })
  return true
}

/** Returns the summary, or the reason why there is none. Temporary failures are retried as for every other request. */
async function requestSummary(at: WindowState, instructions: readonly string[]): Promise<ModelAnswer | string> {
  const { runtime, model, signal, emit, retries = systemRetryClock } = at
  const policy = new RetryPolicy(retries.random)
  for (;;) {
    try {
      const request = await buildRequest(at, await runtime.definitions(model.facts))
      return await askForSummary(model, request, { instructions: instructions.filter((text) => text !== ''), signal })
    } catch (thrownValue) {
      const error = asModelError(thrownValue)
      const step = withSameModel(policy.decideAfter(error))
      if (step.type === 'give_up') return step.message
      emit({ type: 'request-retried', attempt: step.attempt, delayMs: step.delayMs, error })
      await retries.delay(step.delayMs, signal)
      if (signal.aborted) return error.message
    }
  }
}

/** Replaces a change of the model by its fallback step, because another model could not use the provider's cache. */
function withSameModel(step: RetryStep): Exclude<RetryStep, { readonly type: 'change_model' }> {
  return step.type === 'change_model' ? withSameModel(step.fallback) : step
}

function warn(emit: EmitEvent, text: string): void {
  emit({ type: 'notice', level: 'warning', text })
}
