import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import { isRecord } from '../../shared/is-record.js'
import { type Exchange, type InputRequest, type InputRequests, inExchange } from '../client/exchange.js'

export interface FrontNotification {
  readonly method: string
  readonly params: Record<string, unknown>
}

/** The request in which the client waits now. It may be another than the one that began the call. */
export interface Leg {
  readonly signal: AbortSignal
  notify(notification: FrontNotification): void
}

export interface FrontCallOptions {
  /** What the call is about: a later leg must be about the same. */
  readonly about: string
  readonly capabilities: ClientCapabilities
  /** What servers behind are told of the client. */
  readonly meta: Readonly<Record<string, unknown>>
  /** Answers that came with the first leg, before anybody asked. */
  readonly given: Readonly<Record<string, unknown>>
  /** Our own folders, for servers whose client has none to tell. */
  readonly folders: () => readonly string[]
}

export type Step<Result> = { readonly result: Result } | { readonly asks: InputRequests }

interface Question {
  readonly request: InputRequest
  answer(value: unknown): void
  fail(reason: unknown): void
}

/** One call of a client through all its rounds of questions: it goes on where it stood, whoever asked. */
export class FrontCall<Result = unknown> implements Exchange {
  readonly about: string
  readonly meta: Readonly<Record<string, unknown>>
  readonly capabilities: ClientCapabilities
  readonly #options: FrontCallOptions
  readonly #begin: () => Promise<Result>
  #work: Promise<Result> | undefined
  readonly #abort = new AbortController()
  readonly #questions = new Map<string, Question>()
  #isOver = false
  #leg: Leg | undefined
  #wake: () => void = () => undefined

  constructor(options: FrontCallOptions, work: (call: FrontCall<Result>) => Promise<Result>) {
    this.#options = options
    this.about = options.about
    this.meta = options.meta
    this.capabilities = options.capabilities
    this.#begin = () =>
      inExchange(this, async () => work(this)).finally(() => {
        this.#isOver = true
        this.#wake()
      })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Goes on until there is a result, or questions that only the client can answer. */
  async next(leg: Leg): Promise<Step<Result>> {
    const cancel = (): void => this.cancel('The client called it off.')
    leg.signal.addEventListener('abort', cancel, { once: true })
    if (leg.signal.aborted) cancel()
    this.#leg = leg
    this.#work ??= this.#begin()
    const work = this.#work
    // Whoever takes the next step hears of it.
    work.catch(() => {})
    try {
      while (!this.#isOver && this.#questions.size === 0) await this.#somethingNew()
      return this.#isOver ? { result: await work } : { asks: this.#asks() }
    } finally {
      this.#leg = undefined
      leg.signal.removeEventListener('abort', cancel)
    }
  }

  /** Takes answers to what was asked; the rest is asked again. */
  supply(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of [...this.#questions]) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined
      if (isRecord(response)) answer(response)
    }
  }

  /** Told to the client while it waits; later it has no use for it. */
  notify(notification: FrontNotification): void {
    this.#leg?.notify(notification)
  }

  canBeAsked(request: InputRequest): boolean {
    return canAnswer(request, this.capabilities)
  }

  async answer(requests: InputRequests): Promise<Readonly<Record<string, unknown>>> {
    const answers = Object.entries(requests).map(
      async ([key, request]) => [key, await this.#ask(key, request)] as const,
    )
    this.#wake()
    return Object.fromEntries(await Promise.all(answers))
  }

  cancel(reason: string): void {
    this.#abort.abort(new Error(reason))
    for (const { fail } of [...this.#questions.values()]) fail(this.#abort.signal.reason)
  }

  #ask(wanted: string, request: InputRequest): Promise<unknown> | unknown {
    const { given, folders } = this.#options
    const known = Object.hasOwn(given, wanted) ? given[wanted] : undefined
    if (isRecord(known)) return known
    if (!this.canBeAsked(request)) return answerInstead(request, folders())
    this.signal.throwIfAborted()
    const key = this.#freeKey(wanted)
    return new Promise((resolve, reject) => {
      const settle = (end: (value: unknown) => void) => (value: unknown) => {
        this.#questions.delete(key)
        end(value)
      }
      this.#questions.set(key, { request, answer: settle(resolve), fail: settle(reject) })
    })
  }

  /** Two servers may choose the same key. */
  #freeKey(wanted: string): string {
    let key = wanted
    for (let count = 2; this.#questions.has(key); count++) key = `${wanted}_${count}`
    return key
  }

  #asks(): InputRequests {
    return Object.fromEntries(Array.from(this.#questions, ([key, { request }]) => [key, request]))
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** How long a client may take to come back with its answers. */
const PATIENCE_MS = 10 * 60 * 1000
const MOST_PARKED = 1_000

interface Parked {
  readonly call: FrontCall<unknown>
  readonly timer: NodeJS.Timeout
}

/** Calls whose client went away with questions, each by a word that only this client knows. */
export class ParkedCalls {
  readonly #parked = new Map<string, Parked>()

  /** Gives the word that the client has to come back with. */
  park(call: FrontCall<unknown>): string {
    const [oldest] = this.#parked.keys()
    if (oldest !== undefined && this.#parked.size >= MOST_PARKED) this.#giveUp(oldest)
    const state = randomBytes(24).toString('base64url')
    const timer = setTimeout(() => this.#giveUp(state), PATIENCE_MS).unref()
    this.#parked.set(state, { call, timer })
    return state
  }

  /** Each word is good for once. */
  take(state: string): FrontCall<unknown> {
    const parked = this.#parked.get(state)
    if (parked === undefined) throw new Error('no call waits for these answers')
    this.#parked.delete(state)
    clearTimeout(parked.timer)
    return parked.call
  }

  close(): void {
    for (const state of [...this.#parked.keys()]) this.#giveUp(state)
  }

  #giveUp(state: string): void {
    this.take(state).cancel('The client did not come back with its answers.')
  }
}

/** Whether a client said that it takes such requests. */
function canAnswer({ method, params }: InputRequest, capabilities: ClientCapabilities): boolean {
  const { roots, sampling, elicitation } = capabilities
  if (method === 'roots/list') return roots !== undefined
  if (method === 'sampling/createMessage') return sampling !== undefined
  if (method !== 'elicitation/create' || elicitation === undefined) return false
  if (params?.mode === 'url') return elicitation.url !== undefined
  // Older clients say nothing of forms, which were all there was.
  return elicitation.form !== undefined || elicitation.url === undefined
}

/** What a server is told where its client cannot be asked. */
export function answerInstead({ method }: InputRequest, folders: readonly string[]): Readonly<Record<string, unknown>> {
  if (method === 'roots/list') return { roots: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })) }
  if (method === 'elicitation/create') return { action: 'cancel' }
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
}
