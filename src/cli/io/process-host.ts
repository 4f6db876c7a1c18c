import { fstatSync } from 'node:fs'
import type { CommandHost, Interruption } from './command.js'
import { EXIT, UsageError } from './exit.js'
import { findHomeFolder } from './home-folder.js'
import type { InputLine } from './read-lines.js'
import { isErrorTerminal, type StandardOutput, writeError } from './standard-output.js'

/** How long an interrupted process waits for its output to be read. */
const MAX_FLUSH_MS = 1_000

/** Loaded on demand, because only questions need this module. */
const loadWaiting = () => import('../../shared/waiting.js')

const HANDLED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class ProcessHost implements CommandHost {
  readonly #output: StandardOutput
  readonly #abort = new AbortController()
  #exitCode: number | undefined
  #handlesSignals = false
  #isOutputClosed = false
  #writers: (() => void)[] = []
  #typedLines: AsyncIterator<InputLine> | undefined
  #nextLine: Promise<IteratorResult<InputLine>> | undefined
  #lastQuestion: Promise<unknown> = Promise.resolve()

  constructor(output: StandardOutput) {
    this.#output = output
  }

  get cwd(): string {
    return process.cwd()
  }

  get homeDir(): string {
    // Without a home folder, the root folder is used: it has no user settings, and a project cannot add any there.
    return findHomeFolder() ?? '/'
  }

  get isRoot(): boolean {
    return process.getuid?.() === 0
  }

  get isInteractive(): boolean {
    return process.stdin.isTTY === true && isErrorTerminal()
  }

  get hasErrorTerminal(): boolean {
    return isErrorTerminal()
  }

  get hasPipedInput(): boolean {
    try {
      const stats = fstatSync(0)
      return stats.isFIFO() || stats.isFile() || stats.isSocket()
    } catch {
      // The parent process closed standard input.
      return false
    }
  }

  input(): AsyncIterable<Uint8Array> {
    // Node treats a folder as empty input.
    if (fstatSync(process.stdin.fd).isDirectory())
      throw new UsageError('cannot read standard input: it is a folder. Use a file or a pipe.')
    return process.stdin
  }

  async write(text: string): Promise<void> {
    // An interrupted process must not wait for a reader that has stopped reading.
    if (this.#isOutputClosed || this.#output.writeAsync(text) || this.#abort.signal.aborted) return
    await new Promise<void>((resolve) => {
      if (this.#writers.length === 0) this.#output.onDrain(() => this.#resumeWriters())
      this.#writers.push(resolve)
    })
  }

  /** Asks one question at a time, so that a line only answers a question that was visible when it was typed. */
  async readLine(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string | undefined> {
    const answer = this.#lastQuestion.then(() => (signal?.aborted ? undefined : this.#askNow(prompt, signal)))
    this.#lastQuestion = answer.catch(() => {})
    const { waitUnlessAborted } = await loadWaiting()
    return (await waitUnlessAborted(answer, signal))?.value
  }

  async #askNow(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    writeError(prompt)
    const { waitUnlessAborted } = await loadWaiting()
    this.#typedLines ??= (await import('./read-lines.js')).readLines(process.stdin)
    // If a question is cancelled, the next typed line answers the next question.
    this.#nextLine ??= this.#typedLines.next()
    const iteration = (await waitUnlessAborted(this.#nextLine, signal))?.value
    if (iteration === undefined) return undefined
    this.#nextLine = undefined
    if (iteration.done) return undefined
    return 'text' in iteration.value ? iteration.value.text : ''
  }

  async openBrowser(url: string): Promise<void> {
    const { openBrowser } = await import('./open-browser.js')
    openBrowser(url, process.platform)
  }

  interruption(): Interruption {
    if (!this.#handlesSignals) {
      this.#handlesSignals = true
      for (const name of HANDLED_SIGNALS) process.on(name, () => this.#onSignal())
      if (this.#isOutputClosed) this.onOutputClosed()
    }
    const getExitCode = () => this.#exitCode
    return {
      signal: this.#abort.signal,
      get exitCode() {
        return getExitCode()
      },
    }
  }

  /** Ends the command without a message when the reader of the output has closed it. */
  onOutputClosed(): void {
    if (!this.#handlesSignals) process.exit(EXIT.done)
    this.#isOutputClosed = true
    this.#end(EXIT.done)
  }

  /** Exits after the output is flushed. Abandoned calls must not keep the process alive. */
  async exit(code: number): Promise<never> {
    if (!this.#isOutputClosed) {
      const pendingFlush = this.#output.flush()
      if (this.#abort.signal.aborted) setTimeout(() => process.exit(code), MAX_FLUSH_MS)
      await pendingFlush
    }
    process.exit(code)
  }

  #onSignal(): void {
    // A second signal exits immediately.
    if (this.#exitCode === EXIT.interrupted) process.exit(EXIT.interrupted)
    this.#end(EXIT.interrupted)
  }

  #end(exitCode: number): void {
    this.#exitCode ??= exitCode
    this.#abort.abort()
    this.#resumeWriters()
  }

  #resumeWriters(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }
}
