import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import { isRecord } from '../../shared/is-record.js'
import {
  type Exchange,
  type ExchangeClient,
  type InputRequest,
  type InputRequests,
  runInExchange,
} from '../client/exchange.js'
import type { ClientNotification } from './client-notification.js'

/** The request on which the client is currently waiting. It may differ from the one that started the call. */
export interface PendingRequest {
  readonly signal: AbortSignal
  notify(notification: ClientNotification): void
  /** Sends a request to the client; undefined if the protocol revision has only `input_required` results. */
  ask?(request: InputRequest): Promise<unknown>
}

export interface ClientCallOptions {
  /** The client's session; undefined if it has none. */
  readonly session?: ExchangeClient | undefined
  /** The method and target of the call. Later requests of the same call must have the same key. */
  readonly requestKey: string
  readonly capabilities: ClientCapabilities
  /** Metadata about the client for upstream servers. */
  readonly meta: Readonly<Record<string, unknown>>
  /** Answers sent with the first request, before any question. */
  readonly initialAnswers: Readonly<Record<string, unknown>>
  /** Our own folders, for clients that do not provide roots. */
  readonly folders: () => readonly string[]
}

export type Step<Result> = { readonly result: Result } | { readonly inputRequests: InputRequests }

interface PendingQuestion {
  readonly request: InputRequest
  answer(value: unknown): void
  fail(reason: unknown): void
}

/** One call of a client. It can span several requests, because the client may have to answer questions in between. */
export class ClientCall<Result = unknown> implements Exchange {
  readonly client: ExchangeClient
  readonly requestKey: string
  readonly meta: Readonly<Record<string, unknown>>
  readonly capabilities: ClientCapabilities
  readonly #options: ClientCallOptions
  readonly #begin: () => Promise<Result>
  #work: Promise<Result> | undefined
  readonly #abort = new AbortController()
  readonly #questions = new Map<string, PendingQuestion>()
  #isOver = false
  #pending: PendingRequest | undefined
  #notifyChange: () => void = () => undefined

  constructor(options: ClientCallOptions, work: (call: ClientCall<Result>) => Promise<Result>) {
    this.#options = options
    this.client = options.session ?? this.#createOwnIdentity()
    this.requestKey = options.requestKey
    this.meta = options.meta
    this.capabilities = options.capabilities
    this.#begin = () =>
      runInExchange(this, async () => work(this)).finally(() => {
        this.#isOver = true
        this.#notifyChange()
      })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Continues the call until there is a result, or questions for the client. */
  async advance(request: PendingRequest): Promise<Step<Result>> {
    const cancel = (): void => this.cancel('The client cancelled the request.')
    request.signal.addEventListener('abort', cancel, { once: true })
    if (request.signal.aborted) cancel()
    this.#pending = request
    this.#work ??= this.#begin()
    const work = this.#work
    // A failure is reported by the step that awaits the work.
    work.catch(() => {})
    try {
      while (!this.#isOver && this.#questions.size === 0) await this.#waitForChange()
      return this.#isOver ? { result: await work } : { inputRequests: this.#listOpenRequests() }
    } finally {
      this.#pending = undefined
      request.signal.removeEventListener('abort', cancel)
    }
  }

  /** Accepts answers to open questions. Questions without a valid answer are asked again. */
  supplyResponses(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of [...this.#questions]) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined
      if (isRecord(response)) answer(response)
    }
  }

  /** Identifies this call instead of its client, which has no session. */
  #createOwnIdentity(): ExchangeClient {
    const isOver = (): boolean => this.#isOver
    return {
      hasSession: false,
      get isConnected() {
        return !isOver()
      },
    }
  }

  /** Sends a notification if the client is waiting; otherwise it is dropped. */
  notify(notification: ClientNotification): void {
    this.#pending?.notify(notification)
  }

  canBeAsked(request: InputRequest): boolean {
    return supportsRequest(request, this.capabilities)
  }

  async answer(requests: InputRequests): Promise<Readonly<Record<string, unknown>>> {
    const answers = Object.entries(requests).map(
      async ([key, request]) => [key, await this.#ask(key, request)] as const,
    )
    this.#notifyChange()
    return Object.fromEntries(await Promise.all(answers))
  }

  cancel(reason: string): void {
    this.#abort.abort(new Error(reason))
    for (const { fail } of [...this.#questions.values()]) fail(this.#abort.signal.reason)
  }

  #ask(requestedKey: string, request: InputRequest): Promise<unknown> | unknown {
    const { initialAnswers, folders } = this.#options
    const initialAnswer = Object.hasOwn(initialAnswers, requestedKey) ? initialAnswers[requestedKey] : undefined
    if (isRecord(initialAnswer)) return initialAnswer
    if (!this.canBeAsked(request)) return createDefaultAnswer(request, folders())
    this.signal.throwIfAborted()
    if (this.#pending?.ask !== undefined) return this.#pending.ask(request)
    const key = this.#createUniqueKey(requestedKey)
    return new Promise((resolve, reject) => {
      const settle = (finish: (value: unknown) => void) => (value: unknown) => {
        this.#questions.delete(key)
        finish(value)
      }
      this.#questions.set(key, { request, answer: settle(resolve), fail: settle(reject) })
    })
  }

  /** Makes the key unique, because two servers may choose the same one. */
  #createUniqueKey(requestedKey: string): string {
    let key = requestedKey
    for (let count = 2; this.#questions.has(key); count++) key = `${requestedKey}_${count}`
    return key
  }

  #listOpenRequests(): InputRequests {
    return Object.fromEntries(Array.from(this.#questions, ([key, { request }]) => [key, request]))
  }

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#notifyChange = resolve
    })
  }
}

/** How long a client may take to send its answers. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000
const MAX_WAITING_CALLS = 1_000

interface WaitingCall {
  readonly call: ClientCall<unknown>
  readonly timer: NodeJS.Timeout
}

/** Calls that wait for answers of their client, keyed by a secret state token. */
export class WaitingCalls {
  readonly #waitingCalls = new Map<string, WaitingCall>()

  /** Returns the state token that the client must send with its answers. */
  add(call: ClientCall<unknown>): string {
    const [oldest] = this.#waitingCalls.keys()
    if (oldest !== undefined && this.#waitingCalls.size >= MAX_WAITING_CALLS) this.#expire(oldest)
    const state = randomBytes(24).toString('base64url')
    const timer = setTimeout(() => this.#expire(state), ANSWER_TIMEOUT_MS).unref()
    this.#waitingCalls.set(state, { call, timer })
    return state
  }

  /** Returns the call that waits with this state token. Each token can be used once. */
  remove(state: string): ClientCall<unknown> {
    const waitingCall = this.#waitingCalls.get(state)
    if (waitingCall === undefined)
      throw new Error('no call is waiting for these answers; send the request again without a state')
    this.#waitingCalls.delete(state)
    clearTimeout(waitingCall.timer)
    return waitingCall.call
  }

  close(): void {
    for (const state of [...this.#waitingCalls.keys()]) this.#expire(state)
  }

  #expire(state: string): void {
    this.remove(state).cancel('The client did not send its answers in time.')
  }
}

/** Whether the client's capabilities include this kind of request. */
function supportsRequest({ method, params }: InputRequest, capabilities: ClientCapabilities): boolean {
  const { roots, sampling, elicitation } = capabilities
  if (method === 'roots/list') return roots !== undefined
  if (method === 'sampling/createMessage') return sampling !== undefined
  if (method !== 'elicitation/create' || elicitation === undefined) return false
  if (params?.mode === 'url') return elicitation.url !== undefined
  // Older clients do not declare form support, because forms were the only kind.
  return elicitation.form !== undefined || elicitation.url === undefined
}

/**
 * Returns the answer for a server if the client does not support the request. Throws for sampling, which has no default
 * answer.
 */
export function createDefaultAnswer(
  { method }: InputRequest,
  folders: readonly string[],
): Readonly<Record<string, unknown>> {
  if (method === 'roots/list') return { roots: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })) }
  if (method === 'elicitation/create') return { action: 'cancel' }
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
}
