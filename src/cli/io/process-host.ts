import { fstatSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandHost, Interruption } from './command.js'
import { EXIT, UsageError } from './exit.js'
import { homeFolder } from './home-folder.js'
import type { InputLine } from './read-lines.js'
import type { StandardOutput } from './standard-output.js'

/** How long a process that was told to end waits for its reader. */
const LAST_WORDS_MS = 1_000

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The process that a command runs in. */
export class ProcessHost implements CommandHost {
  readonly #output: StandardOutput
  readonly #abort = new AbortController()
  #exitCode: number | undefined
  #isTakenOver = false
  #isReaderGone = false
  #drained: (() => void)[] = []
  #typed: AsyncIterator<InputLine> | undefined
  #nextTyped: Promise<IteratorResult<InputLine>> | undefined
  #lastQuestion: Promise<unknown> = Promise.resolve()

  constructor(output: StandardOutput) {
    this.#output = output
  }

  get cwd(): string {
    return process.cwd()
  }

  get homeDir(): string {
    // Without a home there are no settings of the user's own; the root holds none that a project could write.
    return homeFolder() ?? '/'
  }

  get isRoot(): boolean {
    return process.getuid?.() === 0
  }

  get isInteractive(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true
  }

  get hasPipedInput(): boolean {
    try {
      const stats = fstatSync(0)
      return stats.isFIFO() || stats.isFile() || stats.isSocket()
    } catch {
      // Whoever started this closed it.
      return false
    }
  }

  input(): AsyncIterable<Uint8Array> {
    // Node takes a folder for an input without a byte.
    if (fstatSync(process.stdin.fd).isDirectory())
      throw new UsageError('standard input cannot be read: it is a folder.')
    return process.stdin
  }

  async write(text: string): Promise<void> {
    // Whoever is told to end must not wait for a reader that has stopped reading.
    if (this.#isReaderGone || this.#output.writeAsync(text) || this.#abort.signal.aborted) return
    await new Promise<void>((resolve) => {
      if (this.#drained.length === 0) this.#output.onDrain(() => this.#goOn())
      this.#drained.push(resolve)
    })
  }

  /** One question at a time: a line answers only what the person could see when typing it. */
  readLine(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string | undefined> {
    const answer = this.#lastQuestion.then(() => (signal?.aborted ? undefined : this.#askNow(prompt, signal)))
    this.#lastQuestion = answer.catch(() => {})
    return Promise.race([answer, aborted(signal)])
  }

  async #askNow(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    process.stderr.write(prompt)
    this.#typed ??= (await import('./read-lines.js')).readLines(process.stdin)
    // A line that is waited for in vain is the answer to the next question.
    this.#nextTyped ??= this.#typed.next()
    const next = await Promise.race([this.#nextTyped, aborted(signal)])
    if (next === undefined) return undefined
    this.#nextTyped = undefined
    if (next.done) return undefined
    return 'text' in next.value ? next.value.text : ''
  }

  async openBrowser(url: string): Promise<void> {
    const { openBrowser } = await import('./open-browser.js')
    openBrowser(url, process.platform)
  }

  interruption(): Interruption {
    if (!this.#isTakenOver) {
      this.#isTakenOver = true
      for (const name of SIGNALS) process.on(name, () => this.#onSignal())
      if (this.#isReaderGone) this.onReaderGone()
    }
    const exitCode = () => this.#exitCode
    return {
      signal: this.#abort.signal,
      get exitCode() {
        return exitCode()
      },
    }
  }

  /** Nobody reads on: what still runs is ended, quietly. */
  onReaderGone(): void {
    if (!this.#isTakenOver) process.exit(EXIT.done)
    this.#isReaderGone = true
    this.#end(EXIT.done)
  }

  /** Ends the process once everything written has been taken: a call that was left behind must not hold it. */
  async exit(code: number): Promise<never> {
    if (!this.#isReaderGone) {
      await Promise.race([this.#output.flush(), ...(this.#abort.signal.aborted ? [sleep(LAST_WORDS_MS)] : [])])
    }
    process.exit(code)
  }

  #onSignal(): void {
    // Who asks twice does not want to wait for anything.
    if (this.#exitCode === EXIT.interrupted) process.exit(EXIT.interrupted)
    this.#end(EXIT.interrupted)
  }

  #end(exitCode: number): void {
    this.#exitCode ??= exitCode
    this.#abort.abort()
    this.#goOn()
  }

  #goOn(): void {
    for (const resolve of this.#drained.splice(0)) resolve()
  }
}

function aborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined)
    signal?.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
