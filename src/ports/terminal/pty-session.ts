import type { IPty } from '@lydell/node-pty'
import type { Terminal } from '@xterm/headless'
import { ToolCallError } from '../../contract/errors.js'
import type { TerminalScreen, TerminalSession } from '../../contract/ports/terminal.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { ProcessTree } from '../../system/processes/supervised-processes.js'
import { readScreen, readSearchableScreen } from './read-screen.js'

/** A program that prints nothing for this long is assumed to wait for input. */
const QUIET_PERIOD_MS = 60
/** The maximum wait for a busy program before the screen is read. */
const MAX_SETTLE_MS = 1_000
/** How much unprocessed output is allowed before the program is paused. */
const MAX_PENDING_BYTES = 256 * 1024

interface SessionParts {
  readonly id: string
  readonly command: string
  readonly tree: ProcessTree
  readonly pty: IPty
  readonly terminal: Terminal
  readonly onClosed: () => void
  /** Called once, when the last process has ended. */
  readonly onEnded?: (() => MaybePromise<void>) | undefined
}

/** A program in a pseudo-terminal, with its screen. */
export class PtySession implements TerminalSession {
  readonly id: string
  readonly command: string
  readonly #parts: SessionParts
  readonly #listeners = new Set<() => void>()
  #exit: TerminalScreen['exit']
  #pendingBytes = 0
  #closing: Promise<void> | undefined
  #ending: Promise<unknown> | undefined

  constructor(parts: SessionParts) {
    this.id = parts.id
    this.command = parts.command
    this.#parts = parts
    const { pty, terminal } = parts
    // Without an encoding, the data are bytes, although the type says string.
    pty.onData((data) => this.#draw(data as unknown as Uint8Array))
    // Answers queries of programs, for example for the cursor position.
    terminal.onData((answer) => this.#write(answer))
    pty.onExit(({ exitCode, signal }) => {
      this.#exit = { exitCode, ...(signal !== undefined && signal > 0 && { signal }) }
      void this.#endProcesses()
      this.#notify()
    })
  }

  async send(keys: string): Promise<void> {
    if (this.#exit !== undefined)
      throw new ToolCallError('tool_failed', `The keys were not sent: the program in ${this.id} has ended.`)
    this.#write(keys)
  }

  async screen(): Promise<TerminalScreen> {
    await this.#waitUntilQuiet()
    const { text, cursor } = readScreen(this.#parts.terminal)
    return { text, cursor, ...(this.#exit !== undefined && { exit: this.#exit }) }
  }

  async waitFor(
    text: string | RegExp,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean> {
    const isTextShown = () => containsText(readSearchableScreen(this.#parts.terminal), text)
    await this.#waitUntilDrawn()
    if (isTextShown()) return true
    if (this.#exit !== undefined || signal.aborted) return false
    return new Promise((resolve) => {
      const end = (isFound: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#listeners.delete(check)
        resolve(isFound)
      }
      const check = () => {
        if (isTextShown()) end(true)
        // The last output may still be pending.
        else if (this.#exit !== undefined) void this.#waitUntilDrawn().then(() => end(isTextShown()))
      }
      const onAbort = () => end(false)
      const timer = setTimeout(() => end(false), timeoutMs)
      signal.addEventListener('abort', onAbort)
      this.#listeners.add(check)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#endProcesses()
    const { terminal, onClosed } = this.#parts
    terminal.dispose()
    onClosed()
  }

  /** Sends SIGHUP, as when a window is closed. Programs that ignore it are ended like the processes of a command. */
  async #hangUp(): Promise<void> {
    const { pty, tree, onEnded } = this.#parts
    try {
      pty.kill('SIGHUP')
    } catch {
      // The program has already ended.
    }
    await tree.end()
    tree.forget()
    await onEnded?.()
  }

  #endProcesses(): Promise<unknown> {
    this.#ending ??= this.#hangUp()
    return this.#ending
  }

  #write(keys: string): void {
    if (this.#exit === undefined && this.#closing === undefined) this.#parts.pty.write(keys)
  }

  #draw(data: Uint8Array): void {
    const { pty, terminal } = this.#parts
    this.#pendingBytes += data.length
    // Without this, a program with endless output would fill the memory.
    if (this.#pendingBytes > MAX_PENDING_BYTES) pty.pause()
    terminal.write(data, () => {
      this.#pendingBytes -= data.length
      if (this.#pendingBytes <= MAX_PENDING_BYTES) pty.resume()
      this.#notify()
    })
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves when all received output is on the screen. */
  #waitUntilDrawn(): Promise<void> {
    return new Promise((resolve) => this.#parts.terminal.write('', resolve))
  }

  /** Waits for a pause in the output, so that the screen is not half drawn. */
  async #waitUntilQuiet(): Promise<void> {
    await this.#waitUntilDrawn()
    if (this.#exit !== undefined) return
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(quietTimer)
        clearTimeout(maxTimer)
        this.#listeners.delete(onOutput)
        resolve()
      }
      const onOutput = () => {
        if (this.#exit !== undefined) return end()
        clearTimeout(quietTimer)
        quietTimer = setTimeout(end, QUIET_PERIOD_MS)
      }
      let quietTimer = setTimeout(end, QUIET_PERIOD_MS)
      const maxTimer = setTimeout(end, MAX_SETTLE_MS)
      this.#listeners.add(onOutput)
    })
    await this.#waitUntilDrawn()
  }
}

function containsText(screen: string, text: string | RegExp): boolean {
  return typeof text === 'string' ? screen.includes(text) : screen.search(text) !== -1
}
