import { appendFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { normaliseMcpName } from '../../contract/mcp/name.js'
import { cutTextStart } from '../../shared/cut-text.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { makeFolder } from '../../system/make-folder.js'

/** The size at which the log is rotated. One previous log is kept. */
const MAX_LOG_BYTES = 1024 * 1024
const MAX_RECENT_CHARS = 2_000

/** The stderr output and log messages of a server, in a rotated file, with the most recent part in memory. */
export class ServerLog {
  readonly path: string | undefined
  #recentText = ''
  #size: number | undefined
  #queue: string[] = []
  #queuedChars = 0
  #droppedChars = 0
  #writing: Promise<void> | undefined

  /** Without a folder, only the most recent output is kept. */
  constructor(serverName: string, folder?: string) {
    this.path = folder === undefined ? undefined : join(folder, `${normaliseMcpName(serverName).slice(0, 100)}.log`)
  }

  /** Returns the end of the output as plain text. */
  get recentOutput(): string {
    return toPlainOutput(this.#recentText).trim()
  }

  /** Writes a stream to the log with back-pressure, so that a server that writes faster than the disk has to wait. */
  follow(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      stream.pause()
      void this.write(chunk.toString('utf8')).finally(() => stream.resume())
    })
  }

  /** Appends text to the log. Text is dropped if too much is still waiting to be written. */
  write(text: string): Promise<void> {
    this.#recentText = cutTextStart(`${this.#recentText}${text}`, MAX_RECENT_CHARS)
    if (this.path === undefined) return Promise.resolve()
    if (this.#queuedChars > MAX_LOG_BYTES) this.#droppedChars += text.length
    else {
      this.#queue.push(text)
      this.#queuedChars += text.length
    }
    this.#writing ??= this.#writeQueue().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  /** Writes everything that is waiting, in few large parts. */
  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const notice = this.#droppedChars > 0 ? `\n[${this.#droppedChars} characters were dropped here]\n` : ''
      const text = `${this.#queue.join('')}${notice}`
      this.#queue = []
      this.#queuedChars = 0
      this.#droppedChars = 0
      // A log that cannot be written must not stop the server.
      await this.#append(text).catch(() => {})
    }
  }

  async #append(text: string): Promise<void> {
    const path = this.path as string
    if (this.#size === undefined) {
      makeFolder(dirname(path))
      this.#size = await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
    }
    if (this.#size > MAX_LOG_BYTES) {
      await rename(path, `${path}.1`)
      this.#size = 0
    }
    await appendFile(path, text, { mode: 0o600 })
    this.#size += Buffer.byteLength(text)
  }
}
