import { isRecord } from '../../shared/is-record.js'
import type { Fetch } from '../http/http-fetch.js'

/** How much of the end of a stream is kept, which is enough for its last line, `data: [DONE]`. */
const TAIL_CHARS = 64
/** How long the server may take to close a finished response before the connection is dropped. */
const MAX_CLOSING_MS = 1_000

/** The maximum waits for data of a response, in milliseconds. */
export interface IdleLimits {
  /** The wait for the first byte. A local model may need minutes to read a long conversation. */
  readonly first: number
  /** The wait between two chunks. */
  readonly next: number
}

/** Watches the bytes of one response. Aborts it if no data arrives in time, and checks how it ends. */
export class AnswerWatch {
  readonly #limit: number
  readonly #outerSignal: AbortSignal
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #tail = ''
  #isIdle = false
  #isEnding = false

  constructor(outerSignal: AbortSignal, limits: IdleLimits) {
    this.#outerSignal = outerSignal
    this.#limit = limits.next
    outerSignal.addEventListener('abort', this.stop, { once: true })
    if (outerSignal.aborted) this.stop()
    this.#wait(limits.first)
  }

  /** A signal that is aborted with the outer signal, or if no data arrives in time. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Whether the stream ended with `data: [DONE]`. */
  get hasDoneLine(): boolean {
    return /(^|\n)data: ?\[DONE\]\s*$/.test(this.#tail)
  }

  watch(fetch: Fetch): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init)
      const { status, statusText, headers, url, ok, body } = response
      // A new object, because the body of a response cannot be replaced and its class is unknown.
      const fields = { status, statusText, headers, url, ok }
      if (ok && body !== null) return { ...fields, body: this.#pass(body) } as unknown as Response
      return { ...fields, text: async () => wrapErrorBody(await response.text()) } as unknown as Response
    }
  }

  /** Called when the message is complete, so that the server should close the response soon. */
  expectClose(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#wait(MAX_CLOSING_MS)
  }

  readonly stop = (): void => this.#controller.abort()

  dispose(): void {
    clearTimeout(this.#timer)
    this.#outerSignal.removeEventListener('abort', this.stop)
  }

  async *#pass(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      // Data after the end of the message must not extend the wait.
      if (!this.#isEnding) this.#wait(this.#limit)
      const tailBytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-TAIL_CHARS)
      this.#tail = `${this.#tail}${tailBytes.toString('latin1')}`.slice(-TAIL_CHARS)
      if (this.hasDoneLine) this.expectClose()
      yield bytes
    }
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isIdle = !this.#isEnding
      this.stop()
    }, ms)
  }
}

/** Wraps an error body that has no `error` field, because the SDK reads only that field. */
function wrapErrorBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) && body.error === undefined ? JSON.stringify({ error: body }) : text
  } catch {
    // The body is not JSON, so the text itself is the message.
    return text
  }
}
