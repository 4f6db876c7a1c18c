import { randomUUID } from 'node:crypto'
import type { ControlResponse } from '../schema/input-schema.js'
import type { OutputBody } from '../schema/output-schema.js'

export type ProgramRequest = Extract<OutputBody, { type: 'control_request' }>['request']

/** What became of a request to the driving program. */
export type ProgramAnswer<T> =
  | { readonly type: 'answered'; readonly value: T }
  | { readonly type: 'failed'; readonly message: string }
  /** The request was withdrawn. */
  | { readonly type: 'cancelled' }
  /** The driving program has closed its input. */
  | { readonly type: 'closed' }

interface OpenRequest {
  /** Handles a response. Returns false if it belongs to another kind of request. */
  accept(response: unknown): boolean
  end(answer: ProgramAnswer<never>): void
}

/** For requests that are never withdrawn. */
const NEVER_ABORTED = new AbortController().signal

/** Sends requests to the driving program and receives its answers. */
export class ControlChannel {
  readonly #write: (body: OutputBody) => Promise<void>
  readonly #openRequests = new Map<string, OpenRequest>()
  #isClosed = false

  constructor(write: (body: OutputBody) => Promise<void>) {
    this.#write = write
  }

  /** @param read returns undefined if the response belongs to another kind of request */
  async request<T>(
    request: ProgramRequest,
    read: (response: unknown) => { readonly value: T } | undefined,
    signal: AbortSignal = NEVER_ABORTED,
  ): Promise<ProgramAnswer<T>> {
    if (this.#isClosed) return { type: 'closed' }
    if (signal.aborted) return { type: 'cancelled' }
    const requestId = randomUUID()
    const answer = new Promise<ProgramAnswer<T>>((resolve) => {
      this.#openRequests.set(requestId, {
        accept(response) {
          const readResponse = read(response)
          if (readResponse !== undefined) resolve({ type: 'answered', value: readResponse.value })
          return readResponse !== undefined
        },
        end: resolve,
      })
    })
    const withdraw = () => {
      const openRequest = this.#openRequests.get(requestId)
      if (openRequest === undefined) return
      this.#openRequests.delete(requestId)
      openRequest.end({ type: 'cancelled' })
      void this.#write({ type: 'control_cancel_request', request_id: requestId })
    }
    signal.addEventListener('abort', withdraw, { once: true })
    try {
      await this.#write({ type: 'control_request', request_id: requestId, request })
      return await answer
    } finally {
      signal.removeEventListener('abort', withdraw)
    }
  }

  /** Handles an answer of the driving program; returns a problem if it is invalid. */
  receive({ response }: ControlResponse): string | undefined {
    const { request_id: requestId } = response
    const openRequest = this.#openRequests.get(requestId)
    if (openRequest === undefined) return `answers ${JSON.stringify(requestId)}, which is not an open question`
    if (response.subtype === 'error') openRequest.end({ type: 'failed', message: response.error })
    else if (!openRequest.accept(response.response))
      return `answers ${JSON.stringify(requestId)} with the fields of another kind of question`
    this.#openRequests.delete(requestId)
    return undefined
  }

  /** Ends all open requests without an answer. */
  close(): void {
    this.#isClosed = true
    for (const openRequest of this.#openRequests.values()) openRequest.end({ type: 'closed' })
    this.#openRequests.clear()
  }
}
