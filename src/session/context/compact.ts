import type { ModelRequest } from '../../contract/model.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ModelAnswer } from '../ask-once.js'
import type { WindowState } from '../loop/context-keeper.js'
import { toModelMessages } from '../messages/to-model-messages.js'
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
  const summary = await summaryOf(compaction, [instructions, ...outcome.additionalContext])
  if (typeof summary === 'string') {
    yield warning(`The conversation could not be compacted: ${summary}`)
    return false
  }
  at.onUsage(summary.usage)
  const messages = carryOver(before, summary.text, state?.() ?? {})
  conversation.rewrite(messages, 'compaction')
  yield { type: 'messages-rewritten', cause: 'compaction', tokensBefore, tokensAfter: messagesTokens(messages) }
  const after = await runEventHooks(runtime.hooks, 'PostCompact', { trigger, compact_summary: summary.text }, signal)
  yield* after.events
  return true
}

/** The summary, or why there is none. */
async function summaryOf({ at }: Compaction, wishes: readonly string[]): Promise<ModelAnswer | string> {
  const { conversation, runtime, model, system, signal } = at
  try {
    const request: ModelRequest = {
      system,
      tools: await runtime.definitions(model.facts),
      builtInTools: 0,
      messages: toModelMessages(await runtime.prepareMessages(conversation.messages)),
    }
    return await askForSummary(model, request, { instructions: wishes.filter((wish) => wish !== ''), signal })
  } catch (error) {
    return reasonOf(error)
  }
}

function warning(text: string): SessionEvent {
  return { type: 'notice', level: 'warning', text }
}
