import type { Readable, Writable } from 'node:stream'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'

/** Parsing a larger message would block the event loop for too long. */
const MAX_MESSAGE_BYTES = 8 * 1024 ** 2
const MAX_HEADER_BYTES = 4 * 1024
/** A server that does not read its input must not fill the memory of Haft. */
const MAX_UNREAD_BYTES = 32 * 1024 ** 2
/** More than any server sends about a project. Handling it all would keep Haft busy. */
const MAX_BYTES_PER_WINDOW = 64 * 1024 ** 2
const FLOOD_WINDOW_MS = 60_000

/** Handlers for the messages that a server sends on its own. */
export interface RpcHandlers {
  /** Returns the answer to a request of the server. */
  onRequest(method: string, params: unknown): unknown
  onNotification(method: string, params: unknown): void
  /** Called once if the connection cannot be used any more, with the reason. */
  onFailure(reason: Error): void
}

/** An error that the server returned for a request. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface PendingRequest {
  readonly sentAt: number
  settle(result: { readonly value: unknown } | { readonly error: Error }): void
}

/**
 * JSON-RPC over the streams of a language server. Messages are handled as they arrive, so a server cannot fill the memory with
 * messages that wait, and a message that is too large or malformed ends the connection.
 */
export class RpcConnection {
  readonly #stdin: Writable
  readonly #handlers: RpcHandlers
  readonly #pendingRequests = new Map<number, PendingRequest>()
  readonly #frames: FrameReader
  #lastId = 0
  #failure: Error | undefined
  #windowStart = Date.now()
  #windowBytes = 0
  /** When the server last sent something, as `Date.now()`. */
  lastReceivedAt = Date.now()

  constructor(stdin: Writable, stdout: Readable, handlers: RpcHandlers) {
    this.#stdin = stdin
    this.#handlers = handlers
    this.#frames = new FrameReader((body) => this.#receive(body))
    stdout.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  /** When the oldest request without an answer was sent; undefined if all are answered. */
  get oldestRequestAt(): number | undefined {
    const [oldestRequest] = this.#pendingRequests.values()
    return oldestRequest?.sentAt
  }

  /** Sends a request. When aborted, tells the server to stop and rejects at once; a late answer is ignored. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      if (signal?.aborted) return reject(signal.reason)
      const id = ++this.#lastId
      const abort = () => {
        this.#pendingRequests.delete(id)
        this.notify('$/cancelRequest', { id })
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#pendingRequests.set(id, {
        sentAt: Date.now(),
        settle: (result) => {
          signal?.removeEventListener('abort', abort)
          if ('error' in result) reject(result.error)
          else resolve(result.value)
        },
      })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  /** Rejects all requests and ignores everything that arrives later. */
  fail(reason: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = reason
    for (const pendingRequest of this.#pendingRequests.values()) pendingRequest.settle({ error: reason })
    this.#pendingRequests.clear()
    this.#handlers.onFailure(reason)
  }

  #send(message: object): void {
    if (this.#failure !== undefined) return
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    // Messages of the same turn are written at once, so that the server wakes up once.
    if (this.#stdin.writableCorked === 0) {
      this.#stdin.cork()
      process.nextTick(() => this.#stdin.uncork())
    }
    this.#stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
    if (this.#stdin.writableLength > MAX_UNREAD_BYTES) this.fail(new Error('it does not read its input'))
  }

  #read(chunk: Buffer): void {
    if (this.#failure !== undefined) return
    this.lastReceivedAt = Date.now()
    if (this.lastReceivedAt - this.#windowStart > FLOOD_WINDOW_MS) {
      this.#windowStart = this.lastReceivedAt
      this.#windowBytes = 0
    }
    this.#windowBytes += chunk.length
    try {
      if (this.#windowBytes > MAX_BYTES_PER_WINDOW) this.fail(new Error('it sends too many messages'))
      else this.#frames.add(chunk)
    } catch (error) {
      this.fail(new Error(`it sent a malformed message: ${reasonOf(error)}`))
    }
  }

  #receive(body: Buffer): void {
    if (this.#failure !== undefined) return
    const message: unknown = JSON.parse(body.toString('utf8'))
    if (!isRecord(message)) throw new Error('the content is not an object')
    const { id, method, params, result, error } = message
    if (typeof method === 'string') {
      if (id === undefined || id === null) this.#handlers.onNotification(method, params)
      else this.#send({ id, result: this.#handlers.onRequest(method, params) ?? null })
      return
    }
    const pendingRequest = this.#pendingRequests.get(Number(id))
    this.#pendingRequests.delete(Number(id))
    pendingRequest?.settle(isRecord(error) ? { error: toRpcError(error) } : { value: result ?? null })
  }
}

function toRpcError({ code, message }: Readonly<Record<string, unknown>>): RpcError {
  return new RpcError(Number(code), typeof message === 'string' ? message : 'The server returned an error.')
}

/** Splits a stream into the bodies of its messages. Each has a header with its length. */
class FrameReader {
  readonly #onBody: (body: Buffer) => void
  #chunks: Buffer[] = []
  #size = 0
  /** Undefined while the header has not arrived. */
  #bodyLength: number | undefined

  constructor(onBody: (body: Buffer) => void) {
    this.#onBody = onBody
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#bodyLength === undefined ? this.#readHeader() : this.#readBody()) {
      // Each step takes a header or a body from the chunks.
    }
  }

  #readHeader(): boolean {
    const buffer = this.#join()
    const end = buffer.indexOf('\r\n\r\n')
    if (end === -1) {
      if (buffer.length > MAX_HEADER_BYTES) throw new Error('the header has no end')
      return false
    }
    const header = buffer.toString('latin1', 0, end)
    const length = /^content-length: *(\d{1,12}) *$/im.exec(header)?.[1]
    if (length === undefined) throw new Error('the header has no Content-Length')
    if (Number(length) > MAX_MESSAGE_BYTES)
      throw new Error(`it has ${length} bytes; the limit is ${MAX_MESSAGE_BYTES} bytes`)
    this.#bodyLength = Number(length)
    this.#keep(buffer.subarray(end + 4))
    return true
  }

  #readBody(): boolean {
    const length = this.#bodyLength ?? 0
    if (this.#size < length) return false
    const buffer = this.#join()
    this.#bodyLength = undefined
    this.#keep(buffer.subarray(length))
    this.#onBody(buffer.subarray(0, length))
    return true
  }

  #join(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks
    const buffer = this.#chunks.length <= 1 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [buffer]
    return buffer
  }

  #keep(remainingBytes: Buffer): void {
    this.#chunks = remainingBytes.length === 0 ? [] : [remainingBytes]
    this.#size = remainingBytes.length
  }
}
