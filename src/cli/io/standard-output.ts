import { writeSync } from 'node:fs'
import { type StyledText, toTerminalText } from './styled-text.js'

/**
 * Standard output of the process. Control characters are always escaped, also for a pipe: what is piped is often shown in a
 * terminal later. Short commands write to the file descriptor directly: loading Node's stream takes a tenth of the time
 * that `haft --version` needs.
 */
export class StandardOutput {
  readonly #onError: (error: NodeJS.ErrnoException) => void
  #stream: NodeJS.WriteStream | undefined

  /** @param onError handles a failed write, such as EPIPE when the reader has closed the output */
  constructor(onError: (error: NodeJS.ErrnoException) => void) {
    this.#onError = onError
    // A Windows console decodes direct writes with its own code page.
    if (process.platform === 'win32') this.#open()
  }

  /** Width of the terminal; undefined if the output is not a terminal. */
  get columns(): number | undefined {
    return this.#open().columns
  }

  /** Writes a short text at once. Use `writeAsync` for long texts, because their reader may be slow. */
  write(text: string | StyledText): void {
    const terminalText = toTerminalText(text)
    if (this.#stream !== undefined) this.#stream.write(terminalText)
    else this.#writeDirectly(Buffer.from(terminalText))
  }

  /** Returns false if the caller should wait for `onDrain` before it writes more. */
  writeAsync(text: string): boolean {
    return this.#open().write(toTerminalText(text))
  }

  onDrain(listener: () => void): void {
    this.#open().once('drain', listener)
  }

  /** Resolves when everything has been written, or when writing has failed. */
  async flush(): Promise<void> {
    const stream = this.#stream
    if (stream === undefined) return
    await new Promise<void>((resolve) => {
      stream.once('error', () => resolve())
      stream.write('', () => resolve())
    })
  }

  #open(): NodeJS.WriteStream {
    this.#stream ??= process.stdout.on('error', this.#onError)
    return this.#stream
  }

  #writeDirectly(bytes: Buffer): void {
    let writtenBytes = 0
    try {
      while (writtenBytes < bytes.length) writtenBytes += writeSync(1, bytes, writtenBytes)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // The descriptor is in non-blocking mode and its reader is slow: the stream waits for it.
      if (code === 'EAGAIN') this.#open().write(bytes.subarray(writtenBytes))
      else this.#onError(error as NodeJS.ErrnoException)
    }
  }
}

/** Writes to standard error. Control characters are escaped. */
export function writeError(text: string): void {
  // If standard error fails as well, only the exit code reports the problem.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
  process.stderr.write(toTerminalText(text))
}

/**
 * Whether standard error is a terminal. Asks the operating system, because creating Node's stream for standard error takes a
 * millisecond.
 */
export function isErrorTerminal(): boolean {
  return process.getBuiltinModule('node:tty').isatty(2)
}
