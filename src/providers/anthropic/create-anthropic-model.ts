import type { AssistantMessage } from '../../contract/messages.js'
import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { getModelFacts } from '../common/facts-for.js'
import { type SendableRequest, toSendableRequest } from '../common/sendable-request.js'
import { type Fetch, httpFetch } from '../http/http-fetch.js'
import { addIdleLimit, withProgressLimit } from '../http/stream-limits.js'
import type { AnthropicClient } from './anthropic-client.js'
import { toModelError } from './anthropic-error.js'
import { AnthropicEventReader } from './anthropic-event-reader.js'
import { type AnthropicRequest, toAnthropicCount, toAnthropicRequest } from './anthropic-request.js'
import { ANTHROPIC_IDS } from './to-anthropic-messages.js'

/**
 * The maximum wait for data and for progress of the answer. While a model thinks, the server sends pings, which count only as
 * data.
 */
const DEFAULT_IDLE_MS = 5 * 60_000
/** The wait for the first part is longer by this factor, because the model must first read the conversation. */
const FIRST_WAIT_FACTOR = 2
/** How long the server may take to close a finished response before the connection is dropped. */
const MAX_CLOSING_MS = 1000

/** Options of `createAnthropicModel`. */
export interface AnthropicModelOptions {
  /** The model ID as the API expects it. */
  readonly id: string
  readonly apiKey?: string
  /** Sent as a bearer token instead of an API key. */
  readonly authToken?: string
  /** The URL of another server with the same API. */
  readonly baseUrl?: string
  /** Overrides the built-in table of facts. */
  readonly facts?: Partial<ModelFacts>
  readonly fetch?: Fetch
  readonly headers?: Readonly<Record<string, string>>
  readonly provider?: string
  /** Whether to send beta fields. By default, they are sent only to Anthropic's own endpoint. */
  readonly betas?: boolean
  readonly idleTimeoutMs?: number
}

/** Creates a model that uses Anthropic's Messages API. The SDK is loaded with the first request. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const { id, provider = 'anthropic', baseUrl, idleTimeoutMs = DEFAULT_IDLE_MS } = options
  // Other servers may lack features of Anthropic's own endpoint.
  const facts = getModelFacts(id, { ...(baseUrl !== undefined && { supportsDeferLoading: false }), ...options.facts })
  const messagesWithoutThinking = new WeakSet<AssistantMessage>()
  const target = {
    model: id,
    facts,
    usesBetas: options.betas ?? baseUrl === undefined,
    messagesWithoutThinking,
  }
  const secrets = listSecrets(options)
  const limits = { first: idleTimeoutMs * FIRST_WAIT_FACTOR, next: idleTimeoutMs }
  let openedClient: Promise<AnthropicClient> | undefined

  const openClient = async (): Promise<AnthropicClient> => {
    const { openAnthropicClient } = await import('./anthropic-client.js')
    const fetch = addIdleLimit(options.fetch ?? httpFetch, idleTimeoutMs)
    return openAnthropicClient({ ...options, fetch, timeoutMs: limits.first })
  }
  const getClient = (): Promise<AnthropicClient> => {
    openedClient ??= openClient().catch((error) => {
      openedClient = undefined
      throw error
    })
    return openedClient
  }

  async function* ask(request: SendableRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      const client = await getClient()
      const connection = new AbortController()
      const answer = readAnswer(client, toAnthropicRequest(request, target), { signal, connection })
      yield* withProgressLimit(answer, limits, () => connection.abort())
    } catch (error) {
      throw toModelError(error, { signal, secrets })
    }
  }

  return {
    id,
    provider,
    facts,
    async *stream(uncheckedRequest, { signal }) {
      const request = toSendableRequest(uncheckedRequest, ANTHROPIC_IDS)
      try {
        yield* ask(request, signal)
      } catch (error) {
        const rejectedMessages = isThinkingRejection(error)
          ? findMessagesWithThinking(request).filter((each) => !messagesWithoutThinking.has(each))
          : []
        if (rejectedMessages.length === 0) throw error
        // Nothing has been streamed yet, so the request can be repeated without the rejected thinking.
        for (const message of rejectedMessages) messagesWithoutThinking.add(message)
        yield* ask(request, signal)
      }
    },
    async countTokens(request, { signal }) {
      try {
        const client = await getClient()
        const reply = await client.count(toAnthropicCount(toSendableRequest(request, ANTHROPIC_IDS), target), signal)
        return readTokenCount(reply)
      } catch (error) {
        throw toModelError(error, { signal, secrets })
      }
    },
  }
}

function readTokenCount(reply: unknown): number {
  const count = typeof reply === 'object' && reply !== null && 'input_tokens' in reply ? reply.input_tokens : undefined
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    throw new ModelError('server_error', 'The endpoint that counts tokens did not return a number of tokens.')
  return count
}

/**
 * Whether the API rejected the signature of thinking. A signature is valid for one model and, for some models, only after the
 * same messages.
 */
function isThinkingRejection(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    error.status === 400 &&
    /thinking/.test(error.message) &&
    /signature/.test(error.message)
  )
}

function findMessagesWithThinking({ messages }: ModelRequest): AssistantMessage[] {
  return messages.flatMap((message) => {
    return message.type === 'assistant' && message.content.some(({ type }) => /thinking/.test(type)) ? [message] : []
  })
}

export function listSecrets({
  apiKey = '',
  authToken = '',
  headers = {},
}: Pick<AnthropicModelOptions, 'apiKey' | 'authToken' | 'headers'>): string[] {
  const headerSecrets = Object.values(headers).filter((value) => value.length >= 8)
  return [apiKey, authToken, ...headerSecrets].filter((secret) => secret !== '')
}

async function* readAnswer(
  client: AnthropicClient,
  request: AnthropicRequest,
  { signal, connection }: { readonly signal: AbortSignal; readonly connection: AbortController },
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted()
  const abort = () => connection.abort()
  signal.addEventListener('abort', abort, { once: true })
  const reader = new AnthropicEventReader()
  let events: AsyncIterator<unknown> | undefined
  try {
    events = (await client.send(request, connection.signal))[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await events.next()
      // The SDK ends an aborted stream as if it had completed.
      signal.throwIfAborted()
      if (done === true)
        throw new ModelError('stream_cut', 'The answer was cut off: the stream ended before the message was complete.')
      yield* reader.read(value)
      if (reader.isEnded) return
    }
  } finally {
    signal.removeEventListener('abort', abort)
    if (reader.isEnded && events !== undefined) await drainEvents(events, abort)
    else abort()
  }
}

/** Reads the remaining bytes of a finished response, so that the next request can reuse the connection. */
async function drainEvents(events: AsyncIterator<unknown>, abort: () => void): Promise<void> {
  const timer = setTimeout(abort, MAX_CLOSING_MS)
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The message is complete, so connection errors no longer matter.
  } finally {
    clearTimeout(timer)
  }
}
