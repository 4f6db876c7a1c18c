import { isRecord } from '../../shared/is-record.js'
import type { Fetch } from '../http/http-fetch.js'

/** More than the end of a stream can be. */
const TAIL = 64
/** How long a server may take to close an answer that has ended, before its connection is given up. */
const CLOSING_MS = 1_000

export interface IdleLimits {
  /** Until the first byte: a model at home may read a long conversation for minutes. */
  readonly first: number
  readonly next: number
}

/** Watches the bytes of one answer: whether they still come, and how they end. */
export class AnswerWatch {
  readonly #limit: number
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #tail = ''
  #isIdle = false
  #isEnding = false

  constructor(outer: AbortSignal, limits: IdleLimits) {
    this.#outer = outer
    this.#limit = limits.next
    outer.addEventListener('abort', this.stop, { once: true })
    if (outer.aborted) this.stop()
    this.#wait(limits.first)
  }

  /** Aborted with the outer one, or when nothing comes any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isIdle(): boolean {
    return this.#isIdle
  }

  /** The stream ended with the line that ends such streams. */
  get sawDone(): boolean {
    return /(^|\n)data: ?\[DONE\]\s*$/.test(this.#tail)
  }

  watch(fetch: Fetch): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init)
      const { status, statusText, headers, url, ok, body } = response
      // A new object: neither can a body be replaced, nor be known which class it is of.
      const known = { status, statusText, headers, url, ok }
      if (ok && body !== null) return { ...known, body: this.#pass(body) } as unknown as Response
      return { ...known, text: async () => errorBody(await response.text()) } as unknown as Response
    }
  }

  /** All was said: what is still to come comes at once or never. */
  expectEnd(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#wait(CLOSING_MS)
  }

  readonly stop = (): void => this.#controller.abort()

  dispose(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.stop)
  }

  async *#pass(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      // What comes after the end holds nobody up.
      if (!this.#isEnding) this.#wait(this.#limit)
      const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-TAIL)
      this.#tail = `${this.#tail}${end.toString('latin1')}`.slice(-TAIL)
      if (this.sawDone) this.expectEnd()
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

/** Where a server says what was wrong without the field `error`, the SDK would not look. */
function errorBody(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) && body.error === undefined ? JSON.stringify({ error: body }) : text
  } catch {
    // No JSON: it is told as the text that it is.
    return text
  }
}
