import type { AssistantMessage } from '../../contract/messages.js'
import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { factsFor } from '../common/facts-for.js'
import { type Fetch, httpFetch } from '../http/http-fetch.js'
import { withIdleLimit, withProgressLimit } from '../http/stream-limits.js'
import type { SendAnthropic } from './anthropic-client.js'
import { toModelError } from './anthropic-error.js'
import { AnthropicEventReader } from './anthropic-event-reader.js'
import { toAnthropicRequest } from './anthropic-request.js'

/** Without a byte, and without a piece of the answer whatever else comes: a server that thinks sends pings meanwhile. */
const IDLE_MS = 5 * 60_000
/** Reading a long conversation takes longer than any pause after it: so many times as long. */
const WAITS_FOR_FIRST = 2
/** How long a server may take to close an answer that has ended, before its connection is given up. */
const CLOSING_MS = 1000

export interface AnthropicModelOptions {
  /** As the API knows it. */
  readonly id: string
  readonly apiKey?: string
  /** Instead of a key: sent as a bearer token. */
  readonly authToken?: string
  /** Another server that speaks this protocol. */
  readonly baseUrl?: string
  /** What is known better than the table does. */
  readonly facts?: Partial<ModelFacts>
  readonly fetch?: Fetch
  readonly headers?: Readonly<Record<string, string>>
  readonly provider?: string
  /** Whether fields of betas are sent; unless said, only to Anthropic's own endpoint. */
  readonly betas?: boolean
  readonly idleTimeoutMs?: number
}

/** A model behind Anthropic's Messages API. The SDK is loaded by the first request. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { id, provider = 'anthropic', baseUrl, idleTimeoutMs = IDLE_MS } = options
  // What Anthropic's own endpoint takes is not known of any other.
  const facts = factsFor(id, { ...(baseUrl !== undefined && { supportsDeferLoading: false }), ...options.facts })
  const withoutThinking = new WeakSet<AssistantMessage>()
  const target = { model: id, facts, betas: options.betas ?? baseUrl === undefined, withoutThinking }
  const secrets = secretsOf(options)
  const limits = { first: idleTimeoutMs * WAITS_FOR_FIRST, next: idleTimeoutMs }
  let client: Promise<SendAnthropic> | undefined

  const open = async (): Promise<SendAnthropic> => {
    const { openAnthropicClient } = await import('./anthropic-client.js')
    const fetch = withIdleLimit(options.fetch ?? httpFetch, idleTimeoutMs)
    return openAnthropicClient({ ...options, fetch, timeoutMs: limits.first })
  }

  async function* ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      client ??= open()
      const send = await client.catch((error) => {
        client = undefined
        throw error
      })
      const connection = new AbortController()
      const answer = readAnswer(send, toAnthropicRequest(request, target), { signal, connection })
      yield* withProgressLimit(answer, limits, () => connection.abort())
    } catch (error) {
      throw toModelError(error, { signal, secrets })
    }
  }

  return {
    id,
    provider,
    facts,
    async *stream(request, { signal }) {
      try {
        yield* ask(request, signal)
      } catch (error) {
        const refused = isThinkingRefusal(error) ? thoughtful(request).filter((each) => !withoutThinking.has(each)) : []
        if (refused.length === 0) throw error
        // Nothing was said or run yet: without what cannot be read any more it is the same request.
        for (const message of refused) withoutThinking.add(message)
        yield* ask(request, signal)
      }
    },
  }
}

/** Thinking is signed for a model, and for some models for all that came before it. */
function isThinkingRefusal(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    error.status === 400 &&
    /thinking/.test(error.message) &&
    /signature/.test(error.message)
  )
}

function thoughtful({ messages }: ModelRequest): AssistantMessage[] {
  return messages.flatMap((message) => {
    return message.type === 'assistant' && message.content.some(({ type }) => /thinking/.test(type)) ? [message] : []
  })
}

function secretsOf({ apiKey = '', authToken = '', headers = {} }: AnthropicModelOptions): string[] {
  const long = Object.values(headers).filter((value) => value.length >= 8)
  return [apiKey, authToken, ...long].filter((secret) => secret !== '')
}

async function* readAnswer(
  send: SendAnthropic,
  request: Parameters<SendAnthropic>[0],
  { signal, connection }: { readonly signal: AbortSignal; readonly connection: AbortController },
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted()
  const abort = () => connection.abort()
  signal.addEventListener('abort', abort, { once: true })
  const reader = new AnthropicEventReader()
  let events: AsyncIterator<unknown> | undefined
  try {
    events = (await send(request, connection.signal))[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await events.next()
      // The SDK ends a stream that was aborted as if it were complete.
      signal.throwIfAborted()
      if (done === true) throw new ModelError('stream_cut', 'The answer stopped before its end.')
      yield* reader.read(value)
      if (reader.isEnded) return
    }
  } finally {
    signal.removeEventListener('abort', abort)
    if (reader.isEnded && events !== undefined) await drain(events, abort)
    else abort()
  }
}

/** Reads what is left of an answer that has ended, so that its connection serves the next request, too. */
async function drain(events: AsyncIterator<unknown>, abort: () => void): Promise<void> {
  const timer = setTimeout(abort, CLOSING_MS)
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The message is complete: how its connection ends is nobody's concern.
  } finally {
    clearTimeout(timer)
  }
}
