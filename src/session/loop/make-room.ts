import type { ModelUsage } from '../../contract/model/model.js'
import type { SessionEvent } from '../session-event.js'
import type { WindowState } from './context-keeper.js'
import type { QueryOptions } from './query-options.js'
import type { QueryState } from './query-state.js'

/** Has the conversation kept within the window, where somebody does that. Tells whether it was rewritten. */
export async function* makeRoom(
  options: QueryOptions,
  state: QueryState,
  reason: WindowState['reason'],
): AsyncGenerator<SessionEvent, boolean> {
  const { context, conversation, runtime } = options
  if (context === undefined) return false
  const { model, counted } = state
  const onUsage = (spent: ModelUsage) => state.addUsage(spent)
  const isRewritten = yield* context.keepWithinWindow({ ...options, model, reason, counted, onUsage })
  if (!isRewritten) return false
  state.counted = undefined
  // What the conversation discovered stays discovered, whatever became of the messages that say so.
  runtime.restore(conversation.messages)
  return true
}
