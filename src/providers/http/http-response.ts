import type { Readable } from 'node:stream'

/** Limit for `text()`, which is only used to read error messages. Answers are read as streams. */
const MAX_TEXT_BYTES = 8_000_000

interface ResponseParts {
  readonly status: number
  readonly statusText: string
  readonly headers: HttpHeaders
  readonly url: string
  readonly body: HttpBody
}

/** The part of `Response` that providers' SDKs use. */
export class HttpResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: HttpHeaders
  readonly url: string
  readonly body: HttpBody
  readonly redirected = false
  readonly type = 'basic'

  constructor({ status, statusText, headers, url, body }: ResponseParts) {
    this.status = status
    this.statusText = statusText
    this.headers = headers
    this.url = url
    this.body = body
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of this.body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_TEXT_BYTES) break
    }
    return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

const NEWLINE = 10
/** The SDKs join a partial line again with each chunk. For very long lines, this is quadratic and cannot be aborted. */
const MAX_LINE_BYTES = 16_000_000

/** The bytes of a response as they arrive. Leaving the loop early closes the connection. */
export class HttpBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  readonly #limit: number
  readonly #lineLimit: number

  constructor(stream: Readable, limit: number, lineLimit = MAX_LINE_BYTES) {
    this.#stream = stream
    this.#limit = limit
    this.#lineLimit = lineLimit
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const chunks = this.#stream[Symbol.asyncIterator]()
    let bytes = 0
    let lineBytes = 0
    return {
      next: async () => {
        const { done, value } = await chunks.next()
        if (done === true) return { done: true, value: undefined }
        bytes += value.length
        const end = value.lastIndexOf(NEWLINE)
        lineBytes = end === -1 ? lineBytes + value.length : value.length - end - 1
        if (bytes <= this.#limit && lineBytes <= this.#lineLimit) return { done: false, value }
        await this.cancel()
        const [subject, limit] =
          bytes > this.#limit ? ['The response', this.#limit] : ['A line of the response', this.#lineLimit]
        throw new Error(`${subject} exceeds ${limit} bytes.`)
      },
      return: async () => {
        await this.cancel()
        return { done: true, value: undefined }
      },
    }
  }

  async cancel(): Promise<void> {
    // After a cancellation, connection errors are expected, so they are ignored.
    this.#stream.on('error', () => {}).destroy()
  }
}

type HeadersInit = Iterable<readonly [string, string]> | Readonly<Record<string, string>>

/** The part of `Headers` that the providers' SDKs use. The global class would load all of Node's fetch. */
export class HttpHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>()

  constructor(init?: HeadersInit | null) {
    if (init === undefined || init === null) return
    const pairs = Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init)
    for (const [name, value] of pairs) this.append(name, value)
  }

  append(name: string, value: string): void {
    const previous = this.get(name)
    this.set(name, previous === null ? value : `${previous}, ${value}`)
  }

  set(name: string, value: string): void {
    this.#values.set(String(name).toLowerCase(), String(value).trim())
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  forEach(visit: (value: string, name: string, headers: HttpHeaders) => void): void {
    for (const [name, value] of this.#values) visit(value, name, this)
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }

  keys(): IterableIterator<string> {
    return this.#values.keys()
  }

  values(): IterableIterator<string> {
    return this.#values.values()
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
}
