import { type Model, NO_USAGE } from '../../contract/model/model.js'
import type { ContextKeeper, WindowState } from '../loop/context-keeper.js'
import type { SessionEvent } from '../session-event.js'
import { clearOldResults } from './clear-old-results.js'
import { compact } from './compact.js'
import type { ContextKeeperOptions } from './context-keeper-options.js'
import { messagesTokens } from './message-tokens.js'

/** From so much of the window on there is something to do: a rewrite costs the provider's cache, so that it comes late and does much. */
const FULL_SHARE = 0.85
/** Clearing alone is enough only if it leaves room for a while. */
const CLEARED_SHARE = 0.6
/** Room for the answer, at most. */
const MAX_RESERVE = 20_000

/** Clears old results before a conversation outgrows its window, and has it summed up where that is not enough. */
export function createContextKeeper(options: ContextKeeperOptions = {}): ContextKeeper {
  return {
    async *keepWithinWindow(at) {
      const used = await tokensUsed(at)
      const room = roomOf(at.model)
      if (at.reason === 'before_request' && used < room * FULL_SHARE) return false
      // A refused conversation is larger than it was thought to be.
      if (at.reason === 'before_request' && (yield* clear(at, used, room * CLEARED_SHARE))) return true
      return yield* compact({ ...options, at, trigger: 'auto', tokensBefore: used })
    },
  }
}

function roomOf({ facts: { contextWindow, maxOutputTokens } }: Model): number {
  return contextWindow - Math.min(maxOutputTokens, MAX_RESERVE, contextWindow / 4)
}

/** The provider's own count of what it has seen, and an estimate of what came since. */
async function tokensUsed(at: WindowState): Promise<number> {
  const { counted, conversation, runtime, system, model } = at
  const { input, output, cacheRead, cacheWrite } = counted?.usage ?? NO_USAGE
  const known = input + output + cacheRead + cacheWrite
  // Some servers tell nothing of what a request used.
  if (known > 0) return known + messagesTokens(conversation.messages.slice(counted?.messages))
  const tools = await runtime.definitions(model.facts)
  return messagesTokens([
    ...conversation.messages,
    ...system.map((content) => ({ type: 'system', content }) as const),
    { type: 'attachment', kind: 'tools', data: tools },
  ])
}

async function* clear(at: WindowState, used: number, wanted: number): AsyncGenerator<SessionEvent, boolean> {
  const { conversation, runtime } = at
  const keeping = runtime.pool.filter(({ keepsResults }) => keepsResults === true)
  const keptTools = new Set(keeping.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const { messages, clearedResults } = clearOldResults(conversation.messages, keptTools)
  const left = used - messagesTokens(conversation.messages) + messagesTokens(messages)
  if (clearedResults === 0 || left > wanted) return false
  conversation.rewrite(messages, 'clearing')
  yield { type: 'messages-rewritten', cause: 'clearing', tokensBefore: used, tokensAfter: left }
  return true
}
