import type {
  AssistantMessage,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolDefinition,
  ToolUseBlock,
  UserMessage,
} from '../messages.js'
import type { ThinkingConfig } from '../tool/context.js'
import type { EditFormat } from '../tool/identity.js'

/** A model of any provider: takes a request and streams one message. */
export interface Model {
  /** The id that the provider uses. */
  readonly id: string
  /** The name of a provider in the settings, or a built-in kind of model such as `scripted`. */
  readonly provider: string
  readonly facts: ModelFacts
  /**
   * Fails with a `ModelError` and never retries: the loop retries, because it records which calls have run. The request must
   * not be modified afterwards, because a model may cache what it derived from it.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>
  /** Returns the input tokens of a request as the provider counts them. Left out if the provider has no counter. */
  countTokens?(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<number>
}

/** Capabilities of the endpoint of a request. Nothing is guessed, for example from the host name. */
export interface ModelEndpoint {
  /** Whether the endpoint supports `defer_loading` on tools and `tool_reference` in results. */
  readonly supportsDeferLoading?: boolean
  /** In tokens. */
  readonly contextWindow?: number
}

/** Capabilities, limits and prices of a model. */
export interface ModelFacts extends ModelEndpoint {
  readonly contextWindow: number
  readonly maxOutputTokens: number
  /** How the model edits files best; `strings` if left out. */
  readonly editFormat?: EditFormat
  /** Left out if unknown; then no cost is shown. */
  readonly prices?: ModelPrices
}

/** US dollars per million tokens, and per thousand web searches. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  /** The price of the provider's own web search. */
  readonly webSearch?: number
}

/** One request. Within a conversation, each request starts with the previous one, so that provider caches hit. */
export interface ModelRequest {
  /** The system prompt, in parts whose order never changes. */
  readonly system: readonly string[]
  readonly tools: readonly ToolDefinition[]
  /** The number of built-in tools at the start of `tools`. The tools after them may change between requests. */
  readonly builtInTools: number
  /** User and assistant messages alternate, starting and ending with the user. Results come first in their message. */
  readonly messages: readonly ModelMessage[]
  readonly maxOutputTokens?: number
  readonly thinking?: ThinkingConfig
  /** The same for all requests of a conversation, for providers whose cache has a key. */
  readonly conversationId?: string
}

/** A message that is sent to a model. */
export type ModelMessage = UserMessage | AssistantMessage

/** One complete block of the message that a model streams. */
export type ModelBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock

/** What `Model.stream` yields while a message arrives. */
export type ModelEvent =
  | { readonly type: 'message-started'; readonly id?: string; readonly model: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** Start of a call; its input follows in `input-delta` events. */
  | { readonly type: 'call-begun'; readonly id: string; readonly name: string }
  | { readonly type: 'input-delta'; readonly id: string; readonly json: string }
  /** A block is complete. If the input of a call is not valid JSON, it is the raw string. */
  | { readonly type: 'block-ended'; readonly block: ModelBlock }
  /** The message ended in the middle of this call, which is dropped and never runs. */
  | { readonly type: 'call-cut'; readonly id: string; readonly name: string }
  /** The last event. A stream that ends without it fails with a `ModelError` of kind `stream_cut`. */
  | { readonly type: 'message-ended'; readonly stopReason: StopReason; readonly usage: ModelUsage }

/** Why the model ended its message, in the same terms for every provider. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'context_full' | 'pause'

/** Token counts. `input` excludes tokens read from or written to a cache. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Searches that the provider made with its own tool, for which it charges extra. */
  readonly webSearches?: number
}

/** Zero tokens: the initial value of a sum. */
export const NO_USAGE: ModelUsage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })

/** Adds each of the counts separately. */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  const webSearches = (a.webSearches ?? 0) + (b.webSearches ?? 0)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(webSearches > 0 && { webSearches }),
  }
}

/** What Anthropic and OpenAI charge for a thousand searches. */
const DEFAULT_WEB_SEARCH_PRICE = 10

/**
 * Returns the cost in US dollars, or undefined if the prices are unknown. Without a cache price, the price of input applies;
 * without a price of web searches, the usual one, so that a budget always counts them.
 */
export function costOf(usage: ModelUsage, prices: ModelPrices | undefined): number | undefined {
  if (prices === undefined) return undefined
  const { input, output, cacheRead = input, cacheWrite = input, webSearch = DEFAULT_WEB_SEARCH_PRICE } = prices
  const millionths =
    usage.input * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite
  return millionths / 1_000_000 + ((usage.webSearches ?? 0) * webSearch) / 1000
}
