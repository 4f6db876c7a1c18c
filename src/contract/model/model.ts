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

/** A model behind any provider: one request in, one message out, piece by piece. */
export interface Model {
  /** As the provider knows it. */
  readonly id: string
  /** Who serves it: the name of a provider in settings, or of a kind of model such as `scripted`. */
  readonly provider: string
  readonly facts: ModelFacts
  /**
   * Fails with a `ModelError`, and never tries again by itself: the loop does, which knows what has run. What a request
   * holds must not change afterwards: a model may remember what it made of it.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>
}

/** What is known of the endpoint that a request goes to; what is not said is not guessed, least of all by a host name. */
export interface ModelEndpoint {
  /** It takes `defer_loading` on tools and `tool_reference` in results. */
  readonly supportsDeferLoading?: boolean
  /** In tokens. */
  readonly contextWindow?: number
}

export interface ModelFacts extends ModelEndpoint {
  readonly contextWindow: number
  readonly maxOutputTokens: number
  /** Left out where nobody knows: then no cost is told. */
  readonly prices?: ModelPrices
}

/** US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** One request. Within a conversation each has the former one as its beginning, so that providers find it in their cache. */
export interface ModelRequest {
  /** Parts in an order that never changes. */
  readonly system: readonly string[]
  readonly tools: readonly ToolDefinition[]
  /** How many of the tools, from the first, are built in: what comes after them may change. */
  readonly builtInTools: number
  /** Users and assistant in turns, beginning and ending with the user; results of calls stand first in their message. */
  readonly messages: readonly ModelMessage[]
  readonly maxOutputTokens?: number
  readonly thinking?: ThinkingConfig
  /** The same for all requests of a conversation, for providers that keep caches by a key. */
  readonly conversationId?: string
}

export type ModelMessage = UserMessage | AssistantMessage

export type ModelBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock

/** What comes of one request, in the order it comes. */
export type ModelEvent =
  | { readonly type: 'message-started'; readonly id?: string; readonly model: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A call begins; its input follows in pieces. */
  | { readonly type: 'call-begun'; readonly id: string; readonly name: string }
  | { readonly type: 'input-delta'; readonly id: string; readonly json: string }
  /** A block is whole. The input of a call that is no JSON is the text as it came. */
  | { readonly type: 'block-ended'; readonly block: ModelBlock }
  /** The message ended in the middle of this call: it never ran and is no part of the message. */
  | { readonly type: 'call-cut'; readonly id: string; readonly name: string }
  /** The last event; a stream that ends without it was cut, and fails with a `ModelError` of that kind. */
  | { readonly type: 'message-ended'; readonly stopReason: StopReason; readonly usage: ModelUsage }

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'context_full' | 'pause'

/** Tokens. `input` leaves out what was read from or written to a cache. */
export interface ModelUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export const NO_USAGE: ModelUsage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}

/** In US dollars; undefined where the prices are not known. */
export function costOf(usage: ModelUsage, prices: ModelPrices | undefined): number | undefined {
  if (prices === undefined) return undefined
  const { input, output, cacheRead = input, cacheWrite = input } = prices
  const millionths =
    usage.input * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite
  return millionths / 1_000_000
}
