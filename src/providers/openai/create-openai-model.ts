import type { Model, ModelEvent, ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { factsFor } from '../common/facts-for.js'
import { type Fetch, httpFetch } from '../http/http-fetch.js'
import { type ProgressLimits, withProgressLimit } from '../http/stream-limits.js'
import { AnswerWatch, type IdleLimits } from './answer-watch.js'
import { ChatReader } from './chat-reader.js'
import { EndpointHabits, type Extra, type OpenAIApi } from './endpoint-habits.js'
import { endpointFailure, toModelError } from './openai-error.js'
import { chatBody, responseBody } from './request-body.js'
import { ResponseReader } from './response-reader.js'
import { CallIds } from './stream-parts.js'

const OWN_URL = 'https://api.openai.com/v1'
const IDLE_LIMITS: IdleLimits = { first: 600_000, next: 180_000 }
const PROGRESS_LIMITS: ProgressLimits = { first: 600_000, next: 300_000 }

export interface OpenAIModelOptions {
  readonly id: string
  /** Servers at home need none. */
  readonly apiKey?: string
  /** Of a server that speaks the same protocol; OpenAI's own if left out. */
  readonly baseUrl?: string
  /** `responses` at OpenAI's own endpoint and `chat` elsewhere if left out. */
  readonly api?: OpenAIApi
  readonly facts?: Partial<ModelFacts>
  readonly fetch?: Fetch
  readonly headers?: Readonly<Record<string, string>>
  /** How the provider is called in settings. */
  readonly provider?: string
  /** Without a byte. */
  readonly idleLimits?: IdleLimits
  /** Without a piece of the answer, whatever else comes. */
  readonly progressLimits?: ProgressLimits
}

/** A model behind OpenAI's API or any server that speaks it. The SDK is loaded with the first request. */
export function createOpenAIModel(options: OpenAIModelOptions): Model {
  const { id, baseUrl, facts, provider = 'openai' } = options
  const isOwn = baseUrl === undefined
  const limits = options.progressLimits ?? PROGRESS_LIMITS
  const habits = new EndpointHabits(options.api ?? (isOwn ? 'responses' : 'chat'))

  async function* stream(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    if (isOwn && !hasKey(options))
      throw new ModelError('unauthorised', 'There is no key for OpenAI: set OPENAI_API_KEY.')
    for (;;) {
      const attempt = new Attempt(options, habits, request, signal)
      try {
        yield* withProgressLimit(attempt.events(), limits, () => attempt.stop())
        return
      } catch (error) {
        // Nothing ran and nothing was said: the same request in another form is no second one.
        if (!attempt.shouldRepeat(error)) throw attempt.failure(error)
      } finally {
        attempt.dispose()
      }
    }
  }

  return { id, provider, facts: factsFor(id, facts), stream }
}

/** One request in the form that the endpoint is known to take. */
class Attempt {
  readonly #options: OpenAIModelOptions
  readonly #habits: EndpointHabits
  readonly #request: ModelRequest
  readonly #outer: AbortSignal
  readonly #watch: AnswerWatch
  #extras: ReadonlySet<Extra> = new Set()
  #hasStarted = false

  constructor(options: OpenAIModelOptions, habits: EndpointHabits, request: ModelRequest, signal: AbortSignal) {
    this.#options = options
    this.#habits = habits
    this.#request = request
    this.#outer = signal
    this.#watch = new AnswerWatch(signal, options.idleLimits ?? IDLE_LIMITS)
  }

  async *events(): AsyncGenerator<ModelEvent> {
    const start = { model: this.#options.id, ids: new CallIds(this.#request.messages) }
    const reader = this.#habits.api === 'chat' ? new ChatReader(start) : new ResponseReader(start)
    const chunks = await this.#send()
    this.#hasStarted = true
    try {
      for await (const chunk of chunks) {
        yield* reader.push(chunk)
        if (reader.isWhole) this.#watch.expectEnd()
      }
    } catch (error) {
      // What breaks after the end of the message was only to tell its usage.
      if (!reader.isWhole || this.#outer.aborted) throw error
    }
    // The SDK ends a stream that was aborted as if it had ended by itself.
    const isOver = reader.isWhole || this.#watch.sawDone
    if (!isOver || this.#outer.aborted) throw new Error('the stream ended too early')
    yield* reader.end()
  }

  shouldRepeat(error: unknown): boolean {
    if (this.#hasStarted || this.#watch.signal.aborted) return false
    const failure = endpointFailure(error)
    return failure !== undefined && this.#habits.learn(failure, this.#extras)
  }

  failure(error: unknown): ModelError {
    const { baseUrl = OWN_URL } = this.#options
    return toModelError(error, {
      origin: originOf(baseUrl),
      secrets: secretsOf(this.#options),
      isAborted: this.#outer.aborted,
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
    const client = await this.#client()
    const { signal } = this.#watch
    const form = { model: id, isOwn: baseUrl === undefined, takes: (extra: Extra) => this.#habits.takes(extra) }
    if (this.#habits.api === 'chat') {
      const { body, extras } = chatBody(this.#request, form)
      this.#extras = extras
      return await client.chat.completions.create(body, { signal })
    }
    const { body, extras } = responseBody(this.#request, form)
    this.#extras = extras
    return await client.responses.create(body, { signal })
  }

  async #client() {
    const { apiKey, baseUrl, headers, fetch = httpFetch } = this.#options
    const { OpenAI } = await import('openai')
    // Everything is said, as the SDK would look into the environment for what is not.
    return new OpenAI({
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      baseURL: baseUrl ?? OWN_URL,
      ...(baseUrl !== undefined && { organization: null, project: null }),
      webhookSecret: null,
      maxRetries: 0,
      // Longer than the watch, which tells waiting from being stopped.
      timeout: 2 * (this.#options.idleLimits ?? IDLE_LIMITS).first,
      // Its log would print what models and servers say.
      logLevel: 'off',
      fetch: this.#watch.watch(fetch),
      defaultHeaders: { ...(apiKey === undefined && { Authorization: null }), ...headers },
    })
  }
}

function hasKey({ apiKey = '', headers = {} }: OpenAIModelOptions): boolean {
  return apiKey !== '' || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

function secretsOf({ apiKey, headers = {}, baseUrl }: OpenAIModelOptions): string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, '')])
  const {
    username = '',
    password = '',
    search = '',
  } = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : {}
  return [apiKey ?? '', ...values, username, password, search]
}

/** Without the rest of the address, where some people put keys. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'The base URL'
}
