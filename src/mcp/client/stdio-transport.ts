import type { Readable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { ServiceProcess } from '../../contract/host/service-process.js'
import { isRecord } from '../../shared/is-record.js'

/** The longest message that is taken; a string of V8 could hold twice as much. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
/** How much may come that is no message, between two messages, before the server is given up. */
const MAX_RUBBISH_BYTES = 16 * 1024 * 1024

/** Messages as lines over the streams of a process. Whatever the server prints in between harms nobody. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  /** By these two members the SDK tells that the channel is a pipe. */
  readonly pid: number
  readonly stderr: Readable
  readonly #process: ServiceProcess
  #rubbish = 0
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
      onLine: (line) => this.#takeLine(line),
      onRubbish: (bytes) => this.#takeRubbish(bytes),
      onTooLong: () => this.#giveUp(`It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`),
    })
    const { stdout, exited } = this.#process
    stdout.on('data', (chunk: Buffer) => {
      if (!this.#hasClosed) lines.take(chunk)
    })
    // What the process printed last may come after its end.
    void exited.then((how) => {
      const over = (): void => this.#giveUp(`It ended (${how}).`)
      if (stdout.readableEnded) over()
      else stdout.once('end', over)
      setTimeout(over, DRAIN_MS).unref()
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#process
    if (this.#hasClosed || !stdin.writable) return Promise.reject(new Error('The server no longer reads its input.'))
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#process.end()
    this.#over()
    return this.#closing
  }

  #takeLine(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      this.#takeRubbish(line.length)
      return
    }
    const messages = Array.isArray(message) ? message : [message]
    for (const each of messages) this.#takeMessage(each, line.length)
  }

  #takeMessage(message: unknown, size: number): void {
    if (!isRecord(message) || message.jsonrpc !== '2.0') {
      this.#takeRubbish(size)
      return
    }
    this.#rubbish = 0
    try {
      this.onmessage?.(message as JSONRPCMessage)
    } catch (error) {
      // A message that breaks what reads it, as by its depth, is lost; the others are not.
      this.onerror?.(error as Error)
    }
  }

  #takeRubbish(bytes: number): void {
    this.#rubbish += bytes
    if (this.#rubbish > MAX_RUBBISH_BYTES) this.#giveUp('It floods its output with text that is no message.')
  }

  #giveUp(reason: string): void {
    if (this.#hasClosed) return
    this.onerror?.(new Error(reason))
    void this.close()
  }

  #over(): void {
    if (this.#hasClosed) return
    this.#hasClosed = true
    this.onclose?.()
  }
}

/** How long the last output of a process that has ended is awaited: a child of it may hold the pipe. */
const DRAIN_MS = 200

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const TAB = 9
const OPEN_BRACE = 123
const OPEN_BRACKET = 91

export interface MessageLinesOptions {
  /** The longest line that is kept. */
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  /** Bytes of lines that cannot be messages; they are not kept. */
  readonly onRubbish: (bytes: number) => void
  readonly onTooLong: () => void
}

/** Cuts a stream into lines. A line that does not begin as JSON does is passed over as it comes, so that rubbish costs no memory. */
export class MessageLines {
  readonly #options: MessageLinesOptions
  #parts: Buffer[] = []
  #length = 0
  /** Of the line under way: nothing seen yet, maybe a message, or not one. */
  #kind: 'new' | 'message' | 'rubbish' = 'new'

  constructor(options: MessageLinesOptions) {
    this.#options = options
  }

  take(chunk: Buffer): void {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      this.#takePart(part)
      if (end === -1) return
      this.#endLine()
      start = end + 1
    }
  }

  #takePart(part: Buffer): void {
    const begin = this.#kind === 'new' ? firstVisible(part) : 0
    if (begin === part.length) return
    if (this.#kind === 'new') this.#kind = begins(part[begin]) ? 'message' : 'rubbish'
    const rest = part.subarray(begin)
    if (this.#kind === 'rubbish') {
      this.#options.onRubbish(rest.length)
      return
    }
    this.#length += rest.length
    if (this.#length <= this.#options.maxBytes) {
      this.#parts.push(rest)
      return
    }
    this.#reset('rubbish')
    this.#options.onTooLong()
  }

  #endLine(): void {
    const parts = this.#parts
    const isMessage = this.#kind === 'message'
    this.#reset('new')
    if (!isMessage) return
    const [only] = parts
    this.#options.onLine((parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString('utf8'))
  }

  #reset(kind: 'new' | 'rubbish'): void {
    this.#parts = []
    this.#length = 0
    this.#kind = kind
  }
}

function firstVisible(part: Buffer): number {
  let index = 0
  while (index < part.length && isBlank(part[index])) index++
  return index
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN
}

function begins(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}
