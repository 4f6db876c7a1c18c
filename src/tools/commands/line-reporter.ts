import type { TaskEvent, TasksPort } from '../../contract/ports/tasks.js'
import { cutText } from '../../shared/cut-text.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { testExpression } from '../../shared/timed-expression.js'

export interface LineReporterOptions {
  /** A regular expression; only lines that it matches are reported. */
  readonly filter?: string | undefined
  /** The maximum number of lines that are reported. */
  readonly maxEvents: number
  /** The time without output after which the monitor stops. */
  readonly idleMs: number
  readonly report: (event: TaskEvent) => void
  /** Stops the command or connection. Called after the last report. */
  readonly stop: () => void
}

const MAX_LINE_CHARS = 500
/** The maximum number of characters of a message that are examined. */
const MAX_MESSAGE_CHARS = 10_000
/** The maximum number of lines in one report. */
const MAX_REPORTED_LINES = 20
/** The maximum number of lines examined between two reports, so that a flood of lines does not keep the process busy. */
const MAX_EXAMINED_LINES = 1_000
/** Lines that arrive within this time are combined into one report. */
const GATHER_MS = 200
/** The shortest time between two reports. */
const PAUSE_MS = 1_000
const MAX_FILTER_MS = 20

/** Groups output lines of a command, or messages of a connection, into reports of limited size and frequency. */
export class LineReporter {
  readonly #options: LineReporterOptions
  readonly #decoder = new TextDecoder()
  /** The start of a line whose end has not arrived. */
  #partialLine = ''
  #lines: string[] = []
  #omittedLines = 0
  #examinedLines = 0
  #eventCount = 0
  #hasEnded = false
  #reportTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: LineReporterOptions) {
    this.#options = options
    this.#restartIdleTimer()
  }

  push(chunk: Uint8Array): void {
    if (this.#hasEnded) return
    this.#restartIdleTimer()
    const texts = this.#decoder.decode(chunk, { stream: true }).split('\n')
    texts[0] = this.#partialLine + texts[0]
    this.#partialLine = cutText(texts.pop() ?? '', MAX_LINE_CHARS)
    this.#examine(texts)
  }

  /** Adds a message as one line. */
  pushLine(text: string): void {
    if (this.#hasEnded) return
    this.#restartIdleTimer()
    this.#examine([cutText(text, MAX_MESSAGE_CHARS).replace(/\s*[\r\n]+\s*/g, ' ')])
  }

  /** Reports the remaining lines after the output has ended, including an incomplete last line. */
  close(): void {
    if (this.#hasEnded) return
    this.#examine([this.#partialLine])
    this.#end(undefined)
  }

  #examine(texts: readonly string[]): void {
    const lines = texts.map((text) => cutText(toPlainOutput(text).trimEnd(), MAX_LINE_CHARS)).filter(Boolean)
    const linesToExamine = lines.slice(0, Math.max(0, MAX_EXAMINED_LINES - this.#examinedLines))
    this.#examinedLines += linesToExamine.length
    this.#omittedLines += lines.length - linesToExamine.length
    const { filter } = this.#options
    const results = filter === undefined ? undefined : testExpression(filter, linesToExamine, MAX_FILTER_MS)
    if (filter !== undefined && results === undefined) {
      this.#end('The monitor was stopped: its filter takes too long. Use one without nested repetitions.')
      this.#options.stop()
      return
    }
    for (const [index, line] of linesToExamine.entries()) if (results?.[index] !== false) this.#add(line)
    if (this.#lines.length + this.#omittedLines > 0 && !this.#hasEnded) this.#schedule(GATHER_MS)
  }

  #add(line: string): void {
    const { maxEvents, stop } = this.#options
    if (this.#hasEnded) return
    this.#eventCount++
    if (this.#lines.length < MAX_REPORTED_LINES) this.#lines.push(line)
    else this.#omittedLines++
    if (this.#eventCount < maxEvents) return
    this.#end(`The monitor was stopped: it has reported ${maxEvents} lines, which is its limit.`)
    stop()
  }

  #schedule(delayMs: number): void {
    this.#reportTimer ??= setTimeout(() => {
      this.#reportTimer = undefined
      if (this.#lines.length + this.#omittedLines === 0) return
      this.#report(undefined)
      this.#schedule(PAUSE_MS)
    }, delayMs)
  }

  #report(end: string | undefined): void {
    const event = { lines: this.#lines, omittedLines: this.#omittedLines, ...(end !== undefined && { end }) }
    this.#lines = []
    this.#omittedLines = 0
    this.#examinedLines = 0
    this.#options.report(event)
  }

  #end(reason: string | undefined): void {
    this.#hasEnded = true
    clearTimeout(this.#reportTimer)
    clearTimeout(this.#idleTimer)
    if (this.#lines.length + this.#omittedLines > 0 || reason !== undefined) this.#report(reason)
  }

  #restartIdleTimer(): void {
    const { idleMs, stop } = this.#options
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      this.#end(`The monitor was stopped: there was no output for ${idleMs / 1_000} s.`)
      stop()
    }, idleMs)
  }
}

/** Passes reports on to the tasks port. Those that arrive before the task has an id wait for it. */
export class StartedTask {
  readonly #tasks: Pick<TasksPort, 'report' | 'stop'>
  #id: string | undefined
  #waiting: TaskEvent[] = []
  #mustStop = false

  constructor(tasks: Pick<TasksPort, 'report' | 'stop'>) {
    this.#tasks = tasks
  }

  begin(id: string): void {
    this.#id = id
    for (const event of this.#waiting.splice(0)) this.#tasks.report(id, event)
    if (this.#mustStop) this.stop()
  }

  report(event: TaskEvent): void {
    if (this.#id === undefined) this.#waiting.push(event)
    else this.#tasks.report(this.#id, event)
  }

  stop(): void {
    this.#mustStop = true
    if (this.#id !== undefined) void this.#tasks.stop(this.#id)
  }
}
