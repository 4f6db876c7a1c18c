import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { getModelFacts } from '../common/facts-for.js'
import { type SendableRequest, toSendableRequest } from '../common/sendable-request.js'
import { type Fetch, httpFetch } from '../http/http-fetch.js'
import { type ProgressLimits, withProgressLimit } from '../http/stream-limits.js'
import { AnswerWatch, type IdleLimits } from './answer-watch.js'
import { ChatReader } from './chat-reader.js'
import { EndpointSupport, type OpenAIApi, type OptionalPart } from './endpoint-support.js'
import { toEndpointFailure, toModelError } from './openai-error.js'
import { buildChatBody, buildResponseBody, OPENAI_ID_RULE } from './request-body.js'
import { ResponseReader } from './response-reader.js'
import { CallIds } from './stream-parts.js'

const OPENAI_URL = 'https://api.openai.com/v1'
const DEFAULT_IDLE_LIMITS: IdleLimits = { first: 600_000, next: 180_000 }
const DEFAULT_PROGRESS_LIMITS: ProgressLimits = { first: 600_000, next: 300_000 }

/** Options of `createOpenAIModel`. */
export interface OpenAIModelOptions {
  readonly id: string
  /** Omitted for servers that need no key, such as local ones. */
  readonly apiKey?: string
  /** The URL of a compatible server. Defaults to OpenAI's own API. */
  readonly baseUrl?: string
  /** Defaults to `responses` for OpenAI's own endpoint and to `chat` for others. */
  readonly api?: OpenAIApi
  readonly facts?: Partial<ModelFacts>
  readonly fetch?: Fetch
  readonly headers?: Readonly<Record<string, string>>
  /** The name of the provider in the settings. */
  readonly provider?: string
  /** The maximum waits for any data. */
  readonly idleLimits?: IdleLimits
  /** The maximum waits for a part of the answer. Pings do not count. */
  readonly progressLimits?: ProgressLimits
}

/** Creates a model that uses OpenAI's API or a compatible server. The SDK is loaded with the first request. */
export function createOpenAIModel(options: OpenAIModelOptions): Model {
  const { id, baseUrl, facts, provider = 'openai' } = options
  const isOpenAI = baseUrl === undefined
  const limits = options.progressLimits ?? DEFAULT_PROGRESS_LIMITS
  const endpointSupport = new EndpointSupport(options.api ?? (isOpenAI ? 'responses' : 'chat'))

  async function* stream(
    uncheckedRequest: ModelRequest,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    if (isOpenAI && !hasKey(options)) throw new ModelError('unauthorised', 'No API key for OpenAI. Set OPENAI_API_KEY.')
    const request = toSendableRequest(uncheckedRequest, OPENAI_ID_RULE)
    for (;;) {
      const attempt = new Attempt(options, endpointSupport, request, signal)
      try {
        yield* withProgressLimit(attempt.readEvents(), limits, () => attempt.stop())
        return
      } catch (error) {
        // The request is repeated in another form only if nothing was streamed yet and the endpoint rejected this form.
        if (!attempt.shouldRepeat(error)) throw attempt.toModelError(error)
      } finally {
        attempt.dispose()
      }
    }
  }

  return { id, provider, facts: getModelFacts(id, facts), stream }
}

/** One request, in the form that the endpoint is known to accept. */
class Attempt {
  readonly #options: OpenAIModelOptions
  readonly #support: EndpointSupport
  readonly #request: SendableRequest
  readonly #outerSignal: AbortSignal
  readonly #watch: AnswerWatch
  #optionalParts: ReadonlySet<OptionalPart> = new Set()
  #hasStarted = false

  constructor(
    options: OpenAIModelOptions,
    endpointSupport: EndpointSupport,
    request: SendableRequest,
    signal: AbortSignal,
  ) {
    this.#options = options
    this.#support = endpointSupport
    this.#request = request
    this.#outerSignal = signal
    this.#watch = new AnswerWatch(signal, options.idleLimits ?? DEFAULT_IDLE_LIMITS)
  }

  async *readEvents(): AsyncGenerator<ModelEvent> {
    const readerOptions = { model: this.#options.id, ids: new CallIds(this.#request.messages) }
    const reader = this.#support.api === 'chat' ? new ChatReader(readerOptions) : new ResponseReader(readerOptions)
    const chunks = await this.#send()
    this.#hasStarted = true
    try {
      for await (const chunk of chunks) {
        yield* reader.push(chunk)
        if (reader.isComplete) this.#watch.expectClose()
      }
    } catch (error) {
      // Only the usage can follow a complete message, so a failure after that is ignored.
      if (!reader.isComplete || this.#outerSignal.aborted) throw error
    }
    // The SDK ends an aborted stream as if it had completed.
    const hasEnded = reader.isComplete || this.#watch.hasDoneLine
    if (!hasEnded || this.#outerSignal.aborted) throw new Error('the stream ended before the message was complete')
    yield* reader.end()
  }

  shouldRepeat(error: unknown): boolean {
    if (this.#hasStarted || this.#watch.signal.aborted) return false
    const failure = toEndpointFailure(error)
    return failure !== undefined && this.#support.recordFailure(failure, this.#optionalParts)
  }

  toModelError(error: unknown): ModelError {
    const { baseUrl = OPENAI_URL } = this.#options
    return toModelError(error, {
      origin: getOrigin(baseUrl),
      secrets: listSecrets(this.#options),
      isAborted: this.#outerSignal.aborted,
      isIdle: this.#watch.isIdle,
      hasStarted: this.#hasStarted,
    })
  }

  stop(): void {
    this.#watch.stop()
  }

  dispose(): void {
    this.#watch.dispose()
  }

  async #send(): Promise<AsyncIterable<unknown>> {
    const { id, baseUrl } = this.#options
    const client = await this.#createClient()
    const { signal } = this.#watch
    const form = {
      model: id,
      isOpenAI: baseUrl === undefined,
      accepts: (part: OptionalPart) => this.#support.accepts(part),
    }
    if (this.#support.api === 'chat') {
      const { body, optionalParts } = buildChatBody(this.#request, form)
      this.#optionalParts = optionalParts
      return await client.chat.completions.create(body, { signal })
    }
    const { body, optionalParts } = buildResponseBody(this.#request, form)
    this.#optionalParts = optionalParts
    return await client.responses.create(body, { signal })
  }

  #createClient() {
    const { fetch = httpFetch, idleLimits = DEFAULT_IDLE_LIMITS } = this.#options
    // The time limit is longer than that of the watch, which reports timeouts more precisely.
    return createOpenAIClient(this.#options, { fetch: this.#watch.watch(fetch), timeoutMs: 2 * idleLimits.first })
  }
}

/** Creates a client of the SDK, which is loaded first. */
export async function createOpenAIClient(
  { apiKey, baseUrl, headers }: Pick<OpenAIModelOptions, 'apiKey' | 'baseUrl' | 'headers'>,
  { fetch, timeoutMs }: { readonly fetch: Fetch; readonly timeoutMs: number },
) {
  const { OpenAI } = await import('openai')
  // The SDK reads missing options from the environment. That is intended only for organization and project, and only at
  // OpenAI.
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    baseURL: baseUrl ?? OPENAI_URL,
    ...(baseUrl !== undefined && { organization: null, project: null }),
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    // The log of the SDK would contain messages of models and servers.
    logLevel: 'off',
    fetch,
    defaultHeaders: { ...(apiKey === undefined && { Authorization: null }), ...headers },
  })
}

function hasKey({ apiKey = '', headers = {} }: OpenAIModelOptions): boolean {
  return apiKey !== '' || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

export function listSecrets({
  apiKey,
  headers = {},
  baseUrl,
}: Pick<OpenAIModelOptions, 'apiKey' | 'headers' | 'baseUrl'>): string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, '')])
  const {
    username = '',
    password = '',
    search = '',
  } = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : {}
  return [apiKey ?? '', ...values, username, password, search]
}

/** Returns only the origin, because some URLs contain a key in their path or query. */
function getOrigin(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'The base URL'
}
