import type { ToolDefinition } from '../../contract/messages.js'
import { type Model, NO_USAGE } from '../../contract/model/model.js'
import type { AppState } from '../../contract/ports/state.js'
import type { ContextKeeper, WindowState } from '../loop/query-options.js'
import { clearOldResults } from './clear-old-results.js'
import { compact } from './compact.js'
import { estimateMessagesTokens, estimateTextTokens } from './message-tokens.js'

/** Options of `createContextKeeper`. */
export interface ContextKeeperOptions {
  /** Returns the application state. Its todo list and its plan are kept after a compaction. */
  readonly state?: () => AppState
}

/** A conversation that fills this share of the window is rewritten. Rewrites are rare, because each invalidates the provider's cache. */
const MAX_FILLED_SHARE = 0.85
/** Clearing is sufficient if at most this share of the window is filled afterwards. */
const MAX_CLEARED_SHARE = 0.6
/** Upper limit of the tokens reserved for the answer. */
const MAX_RESERVE_TOKENS = 20_000

/** Clears old results before a conversation exceeds the context window. If that is not enough, a summary replaces the conversation. */
export function createContextKeeper(options: ContextKeeperOptions = {}): ContextKeeper {
  return {
    async keepWithinWindow(at) {
      const usedTokens = await countUsedTokens(at)
      const availableTokens = availableTokensOf(at.model)
      if (at.reason === 'before_request') {
        if (usedTokens < availableTokens * MAX_FILLED_SHARE) return undefined
        if (tryToClear(at, usedTokens, availableTokens * MAX_CLEARED_SHARE)) return 'clearing'
      }
      // A refused conversation is larger than estimated: clearing by the same estimate might not be enough.
      const isCompacted = await compact({ at, tokensBefore: usedTokens, state: options.state })
      return isCompacted ? 'compaction' : undefined
    },
  }
}

function availableTokensOf({ facts: { contextWindow, maxOutputTokens } }: Model): number {
  return contextWindow - Math.min(maxOutputTokens, MAX_RESERVE_TOKENS, contextWindow / 4)
}

/** Returns the provider's count for the last answer, plus an estimate for the messages added since. */
async function countUsedTokens(at: WindowState): Promise<number> {
  const { counted, conversation, runtime, system, model } = at
  const { input, output, cacheRead, cacheWrite } = counted?.usage ?? NO_USAGE
  const countedTokens = input + output + cacheRead + cacheWrite
  // Zero before the first answer, after a rewrite, and for servers that report no usage.
  if (countedTokens > 0) return countedTokens + estimateMessagesTokens(conversation.messages.slice(counted?.messages))
  const systemMessages = system.map((content) => ({ type: 'system', content }) as const)
  const tools = await runtime.definitions(model.facts)
  return (
    estimateMessagesTokens(conversation.messages) + estimateMessagesTokens(systemMessages) + estimateToolsTokens(tools)
  )
}

const tokensOfTools = new WeakMap<readonly ToolDefinition[], number>()

/** Estimates the tokens of the definitions. Cached by the array, which stays the same while no definition changes. */
function estimateToolsTokens(tools: readonly ToolDefinition[]): number {
  const tokens = tokensOfTools.get(tools) ?? estimateTextTokens(JSON.stringify(tools).length)
  tokensOfTools.set(tools, tokens)
  return tokens
}

function tryToClear({ conversation, runtime, emit }: WindowState, usedTokens: number, maxTokens: number): boolean {
  const keepingTools = runtime.pool.filter(({ keepsResults }) => keepsResults === true)
  const keptTools = new Set(keepingTools.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const { messages, clearedResults } = clearOldResults(conversation.messages, keptTools)
  const remainingTokens = usedTokens - estimateMessagesTokens(conversation.messages) + estimateMessagesTokens(messages)
  if (clearedResults === 0 || remainingTokens > maxTokens) return false
  conversation.rewrite(messages, 'clearing')
  emit({ type: 'messages-rewritten', cause: 'clearing', tokensBefore: usedTokens, tokensAfter: remainingTokens })
  return true
}
