import type { StyledLine } from '../../views/styled-line.js'
import { setAmbiguousWidth } from '../../views/text-width.js'
import { TerminalGuard } from '../guard/terminal-guard.js'
import type { InputEvent } from '../input/input-event.js'
import type { TerminalReply } from '../input/input-parser.js'
import { discardPosition, InputReader } from '../input/input-reader.js'
import { AlternateView } from './alternate-view.js'
import { FramePace } from './frame-pace.js'
import { MainView } from './main-view.js'
import {
  ENTER_ALTERNATE,
  ENTER_MODES,
  encodeCopy,
  encodeNotification,
  encodeTitle,
  LEAVE_ALTERNATE,
  LEAVE_MODES,
  MODIFY_OTHER_KEYS,
  QUERIES,
  RESET_AFTER_KILL,
  RESTORE_TITLE,
  type Reply,
  readReply,
  SAVE_TITLE,
  WIDE_PROBE_COLUMN,
} from './modes.js'
import type { Footer } from './painter.js'
import type { ToAnsi } from './row.js'
import { descriptorOf, readSize, TerminalOutput } from './terminal-output.js'

/** The streams, variables and colours of a screen. */
export interface ScreenOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Encodes a line in the current theme. */
  readonly toAnsi: ToAnsi
}

/** The alternate screen, for a full-screen view. The listeners of the screen still receive input and resizes. */
export interface AlternateScreen {
  /** Draws at most as many rows as the screen has. */
  draw(frame: Footer): void
  /** Returns to the main screen, where lines that were committed meanwhile appear. */
  close(): void
}

const FATAL_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

/**
 * The terminal: a transcript to which finished lines are appended once, and a footer that is redrawn where it changes. The
 * screen and its scrollback are never cleared.
 */
export class Screen {
  readonly #options: ScreenOptions
  readonly #output: TerminalOutput
  readonly #reader: InputReader
  readonly #main: MainView
  readonly #guard: TerminalGuard
  readonly #inputListeners: ((event: InputEvent) => void)[] = []
  readonly #resizeListeners: (() => void)[] = []
  #isDirty = false
  #isDispatching = false
  /** Whether there was input since the last frame that was more than a reply of the terminal. */
  #hasInput = false
  #frameTimer: NodeJS.Timeout | undefined
  readonly #pace = new FramePace()
  #alternate: AlternateView | undefined
  /** Whether the modes of this screen are set. */
  #isActive = false
  #isClosed = false
  #isSuspended = false
  /** The keyboard protocol of the terminal, as far as it has replied. */
  #keyboard: 'unknown' | 'kitty' | 'xterm' = 'unknown'
  #hasSavedTitle = false
  /** Whether the next cursor position is the reply to the width probe in `QUERIES`. */
  #isProbingWidth = true

  /** Sets the modes of the terminal, and installs the listeners that restore them. */
  constructor(options: ScreenOptions) {
    this.#options = options
    const { output, toAnsi, variables } = options
    this.#main = new MainView({
      variables,
      toAnsi,
      write: (text) => {
        this.#pace.addOutput(text)
        this.#output.write(text)
      },
      readSize: () => readSize(output),
      onResize: () => this.#notifyResize(),
    })
    this.#reader = new InputReader(
      (event) => this.#receive(event),
      () => this.#drawNow(),
    )
    this.#guard = TerminalGuard.start({
      terminal: descriptorOf(output),
      reset: RESET_AFTER_KILL,
      leaveAlternate: LEAVE_ALTERNATE,
      restoreTitle: RESTORE_TITLE,
    })
    this.#output = new TerminalOutput(output, () => this.#drawNow())
    this.#activate()
    this.#output.write(QUERIES)
    output.on('resize', this.#resize)
    process.on('exit', this.#closeAtExit)
    // Closes the screen before the error is printed, because the footer would be mixed with the message.
    process.on('uncaughtExceptionMonitor', this.#closeAtExit)
    process.on('SIGTSTP', this.#suspendBySignal)
    process.on('SIGCONT', this.#resume)
    for (const signal of FATAL_SIGNALS) process.on(signal, this.#endBySignal)
  }

  get columns(): number {
    return this.#main.painter.columns
  }

  get rows(): number {
    return this.#main.painter.rows
  }

  /** Appends logical lines above the footer. The terminal wraps long ones, so that they are copied without line breaks. */
  commit(lines: readonly StyledLine[]): void {
    if (lines.length === 0) return
    this.#main.commit(lines)
    this.#schedule()
  }

  /**
   * Replaces the footer. During an input event it is drawn as soon as the listeners have returned, else together with
   * other changes within a few milliseconds.
   */
  setFooter(footer: Footer): void {
    this.#main.footer = footer
    this.#schedule()
  }

  /** Draws pending changes now, unless the terminal has not read earlier output. */
  flush(): void {
    this.#drawNow()
  }

  onInput(listener: (event: InputEvent) => void): void {
    this.#inputListeners.push(listener)
  }

  /** Called after the size has changed. The listener sets a footer for the new width. */
  onResize(listener: () => void): void {
    this.#resizeListeners.push(listener)
  }

  enterAlternate(): AlternateScreen {
    this.#drawNow()
    this.#guard.report('alternate')
    // The cursor is left at the start of the footer, so that the footer can be drawn there again at any size.
    this.#output.write(this.#main.erase() + ENTER_ALTERNATE)
    const view = new AlternateView(this.#main.painter, this.#options.toAnsi)
    this.#alternate = view
    return {
      draw: (frame) => {
        view.frame = frame
        this.#schedule()
      },
      close: () => {
        if (this.#alternate !== view) return
        this.#leaveAlternate()
        this.#isDirty = true
        this.#drawNow()
      },
    }
  }

  setTitle(text: string): void {
    if (!this.#hasSavedTitle) {
      this.#hasSavedTitle = true
      this.#guard.report('title')
      this.#output.write(SAVE_TITLE)
    }
    this.#output.write(encodeTitle(text))
  }

  /** Notifies the user with a bell and, where the terminal supports it, a desktop notification. */
  notify(title: string, body: string): void {
    this.#output.write(encodeNotification(title, body, this.#options.variables))
  }

  /** Copies to the clipboard of the terminal. */
  copy(text: string): void {
    this.#output.write(encodeCopy(text, this.#options.variables))
  }

  /** Restores the terminal while another program, such as an editor, uses it. */
  async runOutside<T>(run: () => Promise<T>): Promise<T> {
    this.#deactivate()
    try {
      return await run()
    } finally {
      if (!this.#isClosed) this.#activate()
    }
  }

  /** Stops this process as Ctrl+Z does in a shell. The screen is drawn again when it continues. */
  suspend(): void {
    if (this.#isClosed || this.#isSuspended) return
    this.#isSuspended = true
    this.#deactivate()
    process.kill(process.pid, 'SIGSTOP')
  }

  /** Restores the terminal. Can be called several times, even from an exit handler. */
  close(): void {
    if (this.#isClosed) return
    this.#drawRemaining()
    this.#deactivate()
    this.#isClosed = true
    if (this.#hasSavedTitle) this.#output.writeLast(RESTORE_TITLE)
    this.#output.close()
    this.#reader.close()
    this.#guard.dismiss()
    this.#options.output.off('resize', this.#resize)
    process.off('exit', this.#closeAtExit)
    process.off('uncaughtExceptionMonitor', this.#closeAtExit)
    process.off('SIGTSTP', this.#suspendBySignal)
    process.off('SIGCONT', this.#resume)
    for (const signal of FATAL_SIGNALS) process.off(signal, this.#endBySignal)
  }

  #leaveAlternate(): void {
    if (this.#alternate === undefined) return
    this.#alternate = undefined
    this.#output.write(LEAVE_ALTERNATE)
    this.#guard.report('main')
  }

  #activate(): void {
    const { input } = this.#options
    input.setRawMode(true)
    input.on('data', this.#read)
    input.resume()
    this.#isActive = true
    this.#guard.report('on')
    this.#main.painter.forget()
    this.#main.updateSize()
    this.#output.write(`\r${ENTER_MODES}${this.#keyboard === 'xterm' ? MODIFY_OTHER_KEYS : ''}`)
    this.#isDirty = true
    this.#schedule()
  }

  /** Erases the footer. Committed lines stay. */
  #deactivate(): void {
    if (!this.#isActive) return
    this.#isActive = false
    clearTimeout(this.#frameTimer)
    this.#frameTimer = undefined
    const { input } = this.#options
    input.off('data', this.#read)
    input.pause()
    this.#leaveAlternate()
    if (this.#main.isAwaitingPosition) discardPosition()
    this.#output.writeLast(this.#main.erase() + LEAVE_MODES)
    try {
      input.setRawMode(false)
    } catch {
      // The terminal was closed.
    }
    this.#guard.report('off')
  }

  readonly #read = (bytes: Buffer): void => {
    this.#isDispatching = true
    try {
      this.#reader.awaitsPosition = this.#main.isAwaitingPosition
      this.#reader.push(bytes)
    } finally {
      this.#isDispatching = false
      if (this.#hasInput) this.#drawNow()
      else if (this.#isDirty) this.#schedule()
    }
  }

  #receive(event: InputEvent | TerminalReply): void {
    if (event.type === 'reply') this.#handleReply(readReply(event.sequence))
    else {
      this.#hasInput = true
      for (const listener of this.#inputListeners) listener(event)
    }
  }

  #handleReply(reply: Reply | undefined): void {
    if (reply?.type === 'synchronised-updates') this.#main.painter.hasSync = true
    else if (reply?.type === 'kitty-keyboard') this.#keyboard = 'kitty'
    else if (reply?.type === 'position') {
      if (this.#isProbingWidth) this.#handleWidthReply(reply.column)
      else if (this.#main.handlePosition(reply.column)) this.#drawAgain()
    } else if (reply?.type === 'attributes') {
      this.#isProbingWidth = false
      if (this.#keyboard !== 'unknown') return
      this.#keyboard = 'xterm'
      this.#output.write(MODIFY_OTHER_KEYS)
    }
  }

  #handleWidthReply(column: number): void {
    this.#isProbingWidth = false
    this.#main.painter.hasReports = true
    if (column !== WIDE_PROBE_COLUMN) return
    setAmbiguousWidth(2)
    this.#main.redraw()
  }

  #drawAgain(): void {
    this.#isDirty = true
    this.#drawNow()
  }

  #schedule(): void {
    this.#isDirty = true
    if (this.#isDispatching || this.#frameTimer !== undefined || !this.#isActive) return
    this.#frameTimer = setTimeout(() => this.#drawNow(), this.#pace.computeWait(performance.now()))
  }

  #drawNow(): void {
    clearTimeout(this.#frameTimer)
    this.#frameTimer = undefined
    if (!this.#isDirty || !this.#isActive || this.#output.isWaiting) return
    if (this.#alternate !== undefined) this.#output.write(this.#alternate.paint())
    // If nothing was drawn, the reply of the terminal causes the next attempt.
    else if (!this.#main.draw({ isForKey: this.#hasInput })) return
    this.#isDirty = false
    this.#hasInput = false
    this.#pace.endFrame(performance.now())
    if (this.#alternate === undefined && this.#main.hasCommits) this.#schedule()
  }

  /** Draws all committed lines that are still queued. Called before the screen is closed. */
  #drawRemaining(): void {
    if (!this.#isActive || !this.#main.hasCommits) return
    this.#leaveAlternate()
    this.#output.writeLast(this.#main.paintRemaining())
  }

  readonly #resize = (): void => {
    if (this.#isActive && this.#alternate === undefined) this.#main.resize()
    else {
      this.#main.updateSize()
      this.#notifyResize()
    }
  }

  #notifyResize(): void {
    for (const listener of this.#resizeListeners) listener()
  }

  readonly #suspendBySignal = (): void => this.suspend()
  readonly #resume = (): void => {
    if (this.#isClosed) return
    // The shell has changed the modes in the meantime. Node does not set raw mode again unless it was switched off.
    if (this.#isActive) this.#deactivate()
    this.#isSuspended = false
    this.#activate()
    this.#notifyResize()
  }

  readonly #closeAtExit = (): void => this.close()
  /** Ends the process as the signal would, unless there is another listener. */
  readonly #endBySignal = (signal: NodeJS.Signals): void => {
    this.close()
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
}
