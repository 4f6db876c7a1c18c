import type { Readable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ServiceProcess } from '../../contract/host/service-process.js'
import { isRecord } from '../../shared/is-record.js'

/** The maximum message size. A V8 string can hold twice as much. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
/** How much output other than messages is tolerated between two messages. */
const MAX_NOISE_BYTES = 16 * 1024 * 1024
/** How much may wait to be read by the server. One message may be larger. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Sends and receives line-delimited messages over the streams of a process. Other output of the server is ignored. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  /** The SDK recognises a stdio transport by these two members. */
  readonly pid: number
  readonly stderr: Readable
  readonly #process: ServiceProcess
  #noiseBytes = 0
  #closing: Promise<void> | undefined
  #hasClosed = false

  constructor(process: ServiceProcess) {
    this.#process = process
    this.pid = process.pid
    this.stderr = process.stderr
  }

  async start(): Promise<void> {
    const lines = new MessageLines({
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#handleLine(line),
      onNoise: (bytes) => this.#countNoise(bytes),
      onTooLong: () => this.#fail(`It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`),
    })
    const { stdout, exited } = this.#process
    stdout.on('data', (chunk: Buffer) => {
      if (!this.#hasClosed) lines.push(chunk)
    })
    // A server that has closed its output can no longer answer. If it is exiting, its exit code is the better reason.
    stdout.once('end', () => setTimeout(() => this.#fail('It closed its output.'), MAX_DRAIN_MS).unref())
    // The last output may arrive after the process has exited.
    void exited.then((exitText) => {
      const handleExit = (): void => this.#fail(`It exited (${exitText}).`)
      if (stdout.readableEnded) handleExit()
      else stdout.once('end', handleExit)
      setTimeout(handleExit, MAX_DRAIN_MS).unref()
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#process
    if (this.#hasClosed || !stdin.writable)
      return Promise.reject(new Error('The message could not be sent: the server no longer reads its input.'))
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      const reason = `It does not read its input: more than ${MAX_UNREAD_BYTES / 1024 / 1024} MiB are waiting.`
      this.#fail(reason)
      return Promise.reject(new Error(reason))
    }
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#process.end()
    this.#markClosed()
    return this.#closing
  }

  #handleLine(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      this.#countNoise(line.length)
      return
    }
    const messages = Array.isArray(message) ? message : [message]
    for (const item of messages) this.#handleMessage(item, line.length)
  }

  #handleMessage(message: unknown, size: number): void {
    if (!isRecord(message) || message.jsonrpc !== '2.0') {
      this.#countNoise(size)
      return
    }
    this.#noiseBytes = 0
    try {
      this.onmessage?.(message as JSONRPCMessage)
    } catch (error) {
      // A message that cannot be processed, for example because it is nested too deeply, is dropped. Later messages are not
      // affected.
      this.onerror?.(error as Error)
    }
  }

  #countNoise(bytes: number): void {
    this.#noiseBytes += bytes
    if (this.#noiseBytes > MAX_NOISE_BYTES)
      this.#fail(`It wrote more than ${MAX_NOISE_BYTES / 1024 / 1024} MiB of output that is not a message.`)
  }

  #fail(reason: string): void {
    if (this.#hasClosed) return
    this.onerror?.(new Error(reason))
    void this.close()
  }

  #markClosed(): void {
    if (this.#hasClosed) return
    this.#hasClosed = true
    this.onclose?.()
  }
}

/** How long to wait for the last output of an exited process. A child process may keep the pipe open. */
const MAX_DRAIN_MS = 200

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const SPACE_BYTE = 32
const TAB = 9
const OPEN_BRACE = 123
const OPEN_BRACKET = 91

export interface MessageLinesOptions {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  /** Called with the size of output that cannot be a message. The output itself is dropped. */
  readonly onNoise: (bytes: number) => void
  readonly onTooLong: () => void
}

/**
 * Splits a stream into lines. A line that does not start like JSON is dropped while it arrives, so that it needs no
 * memory.
 */
export class MessageLines {
  readonly #options: MessageLinesOptions
  #parts: Buffer[] = []
  #length = 0
  /** The kind of the current line: still empty, possibly a message, or not a message. */
  #kind: 'new' | 'message' | 'noise' = 'new'

  constructor(options: MessageLinesOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      this.#addPart(part)
      if (end === -1) return
      this.#endLine()
      start = end + 1
    }
  }

  #addPart(part: Buffer): void {
    const contentStart = this.#kind === 'new' ? findFirstVisible(part) : 0
    if (contentStart === part.length) return
    if (this.#kind === 'new') this.#kind = startsJson(part[contentStart]) ? 'message' : 'noise'
    const content = part.subarray(contentStart)
    if (this.#kind === 'noise') {
      this.#options.onNoise(content.length)
      return
    }
    this.#length += content.length
    if (this.#length <= this.#options.maxBytes) {
      this.#parts.push(content)
      return
    }
    this.#reset('noise')
    this.#options.onTooLong()
  }

  #endLine(): void {
    const parts = this.#parts
    const isMessage = this.#kind === 'message'
    this.#reset('new')
    if (!isMessage) return
    const [singlePart] = parts
    this.#options.onLine(
      (parts.length === 1 && singlePart !== undefined ? singlePart : Buffer.concat(parts)).toString('utf8'),
    )
  }

  #reset(kind: 'new' | 'noise'): void {
    this.#parts = []
    this.#length = 0
    this.#kind = kind
  }
}

function findFirstVisible(part: Buffer): number {
  let index = 0
  while (index < part.length && isBlank(part[index])) index++
  return index
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE_BYTE || byte === TAB || byte === CARRIAGE_RETURN
}

function startsJson(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}
