import { basename } from 'node:path'
import type { UserMessage } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { QueryEnd, SessionEvent } from '../../session/conversation/session-event.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { StyledLine } from '../../views/styled-line.js'
import { BLANK_LINE } from '../blocks/format.js'
import { Transcript } from '../blocks/transcript.js'
import { isKey } from '../dialogs/dialog.js'
import { type InputEvent, shortcutOf } from '../input/input-event.js'
import type { AppSession, PromptSubmission } from './app-session.js'
import type { PromptScreen } from './prompt-screen.js'
import { CYCLED_MODES, renderQueue, renderStatus, renderTeam, renderTodos, renderWork, SPINNER_MS } from './status.js'
import { WaitingPrompts } from './waiting-prompts.js'

/** The time within which a second Ctrl+C exits. */
const EXIT_WINDOW_MS = 2_000
/** The user is notified at the end of turns that took at least this long. */
const NOTIFY_AFTER_MS = 10_000

const PAUSING_REASONS: ReadonlySet<QueryEnd['reason']> = new Set(['interrupted', 'max_turns', 'max_budget'])

/** The idle time before the user is notified, unless the settings change it. */
const DEFAULT_IDLE_MS = 60_000

/** Runs a submission as a slash command. Returns false if it is not one. */
export type RunSlashCommand = (submission: PromptSubmission) => boolean

interface Turn {
  readonly abort: AbortController
  readonly startedAt: number
  readonly tokensBefore: number
}

/** Why the conversation in the terminal ends: the user leaves, starts a new session, or resumes another one. */
export type AppEnd =
  | { readonly type: 'leave' }
  | { readonly type: 'clear' }
  | { readonly type: 'resume'; readonly id: string }

/** A conversation in the terminal: prompts, answers, calls, and input while the model works. */
export class TerminalApp {
  readonly prompt: PromptScreen
  readonly session: AppSession
  readonly transcript: Transcript
  readonly #waiting: WaitingPrompts
  readonly #exit: { promise: Promise<AppEnd>; resolve: (end: AppEnd) => void }
  runSlashCommand: RunSlashCommand = () => false
  openTranscript: () => void = () => {}
  openTasks: () => void = () => {}
  openExternalEditor: () => void = () => {}
  /** Whether the setting `notifications` is on. */
  isNotificationEnabled = true
  /** The idle time after which the user is notified that Haft is waiting. */
  idleMs = DEFAULT_IDLE_MS
  #idleTimer: NodeJS.Timeout | undefined
  #hookStatus: string | undefined
  #turn: Turn | undefined
  #activity: string | undefined
  #timer: NodeJS.Timeout | undefined
  #hint: string | undefined
  #lastInterruptAt = 0
  #hasFocus = true
  #lastEnd: QueryEnd | undefined
  #mustWake = false
  /** After an interruption or a limit, only the user lets the model continue. */
  #isPaused = false

  constructor(prompt: PromptScreen, session: AppSession) {
    this.prompt = prompt
    this.session = session
    this.#waiting = new WaitingPrompts(session.session)
    let resolve: (end: AppEnd) => void = () => {}
    const promise = new Promise<AppEnd>((settle) => {
      resolve = settle
    })
    this.#exit = { promise, resolve }
    this.transcript = new Transcript({
      commit: (lines) => prompt.commit(lines),
      findTool: (name) => {
        const { pool, nestedPool } = session.session.runtime
        const hasName = (tool: Tool) => tool.name === name
        return pool.find(hasName) ?? nestedPool.find(hasName)
      },
      columns: () => prompt.screen.columns,
      cwd: () => session.session.runtime.cwd,
      isScreenReader: prompt.isScreenReader,
    })
    session.onAgentEvent = (event, agent) => {
      this.transcript.handleAgent(event, agent)
      prompt.draw()
    }
    session.onMode = () => prompt.draw()
    session.onWake = () => {
      this.#mustWake = true
      void this.#wake()
    }
    session.onNotification = ({ title, body }) => this.#notify(`${title}: ${body}`)
    session.onHookStatus = (messages) => {
      this.#hookStatus = messages.at(-1)
      prompt.draw()
    }
    prompt.renderLiveRows = (maxRows) => this.#renderLiveRows(maxRows)
    prompt.renderStatusRow = () => this.#renderStatusRow()
    prompt.onKey = (event) => this.#handleKey(event)
    prompt.onUnusedKey = (event) => this.#handleUnusedKey(event)
  }

  /** Resolves when the user leaves. */
  async run(): Promise<AppEnd> {
    this.prompt.onSubmit = (submission) => this.submit(submission)
    this.prompt.draw()
    // The messages of a resumed session may have been announced before this listened.
    if (this.session.session.hasMail) void this.#wake()
    const end = await this.#exit.promise
    this.#turn?.abort.abort()
    clearInterval(this.#timer)
    clearTimeout(this.#idleTimer)
    return end
  }

  exit(end: AppEnd = { type: 'leave' }): void {
    this.#exit.resolve(end)
  }

  get isWorking(): boolean {
    return this.#turn !== undefined
  }

  /** Runs a command, starts a turn, or passes the input to the working model. */
  submit(submission: PromptSubmission): void {
    if (submission.text.trim() === '' && submission.attachments.length === 0) {
      // After an interruption, Enter on an empty prompt sends the next queued prompt.
      if (!this.isWorking) this.#startNext()
      return
    }
    if (this.runSlashCommand(submission)) return
    if (this.isWorking) void this.#steer(submission)
    else void this.#work(submission)
  }

  /** Sends a prompt that a command produced, after the current turn if one is running. */
  send(submission: PromptSubmission): void {
    if (this.isWorking) this.#waiting.enqueue(submission)
    else void this.#work(submission)
  }

  interrupt(): void {
    this.#turn?.abort.abort()
  }

  /** Shows a short text instead of the status. */
  showHint(text: string | undefined): void {
    this.#hint = text
    this.prompt.draw()
  }

  /** Runs the Notification hooks and, unless the terminal has the focus, notifies the user. */
  async announceWaiting(type: string, message: string): Promise<void> {
    this.#notify(message)
    for (const event of await this.session.notifyHooks(type, message)) this.transcript.handle(event)
    this.prompt.draw()
  }

  #notify(body: string): void {
    if (this.isNotificationEnabled && (!this.#hasFocus || this.prompt.isScreenReader))
      this.prompt.screen.notify('haft', body)
  }

  async #work(submission: PromptSubmission): Promise<void> {
    this.#isPaused = false
    this.transcript.addPrompt(submission.shownText ?? submission.text)
    await this.#ask(() => this.session.readSubmission(submission))
  }

  /** Lets an idle model continue after a report of a monitor or a teammate. A working model receives it with its next request. */
  async #wake(): Promise<void> {
    if (this.isWorking || this.#isPaused || !this.session.hasNotices) return
    this.#mustWake = false
    await this.#ask(async () => undefined)
  }

  async #ask(readPrompt: () => Promise<UserMessage['content'] | undefined>): Promise<void> {
    const wasCompleted = await this.#runTurn(async (turn) => {
      const prompt = await readPrompt()
      const end = await this.session.ask(prompt, {
        signal: turn.abort.signal,
        onEvent: (event) => this.#handleEvent(event),
      })
      this.#lastEnd = end
      this.#endTurn(turn, end)
    })
    this.#waiting.requeueUndelivered()
    if (wasCompleted) this.#startNext()
    // A report may have arrived after the last request of the turn.
    if (wasCompleted && this.#mustWake) await this.#wake()
    this.prompt.draw()
  }

  /** Runs other work than a prompt, such as a compaction, with the same display. Esc interrupts it. */
  async runWork<T>(
    activity: string,
    work: (signal: AbortSignal, onEvent: (event: SessionEvent) => void) => Promise<T>,
  ): Promise<T | undefined> {
    let result: T | undefined
    this.#activity = activity
    await this.#runTurn(async ({ abort }) => {
      result = await work(abort.signal, (event) => this.#handleEvent(event))
    })
    this.#activity = undefined
    return result
  }

  /** Returns false if the work was interrupted or failed. */
  async #runTurn(work: (turn: Turn) => Promise<void>): Promise<boolean> {
    const { spending } = this.session.session
    const turn: Turn = { abort: new AbortController(), startedAt: Date.now(), tokensBefore: spending.tokens }
    this.#turn = turn
    clearTimeout(this.#idleTimer)
    this.#setTitle()
    this.#timer = setInterval(() => this.prompt.draw(), SPINNER_MS)
    let hasFailed = false
    try {
      await work(turn)
    } catch (error) {
      hasFailed = true
      this.transcript.endTurn()
      this.transcript.addNotice('error', reasonOf(error))
    }
    clearInterval(this.#timer)
    this.#turn = undefined
    this.#setTitle()
    this.#restartIdleTimer()
    this.prompt.draw()
    return !hasFailed && !turn.abort.signal.aborted
  }

  #endTurn(turn: Turn, end: QueryEnd): void {
    this.transcript.endTurn()
    this.#isPaused = PAUSING_REASONS.has(end.reason)
    if (end.reason === 'interrupted')
      this.transcript.addNotice('warning', 'You interrupted the work. Say what to do instead.')
    else if (end.reason !== 'completed') {
      this.transcript.addNotice('error', end.message ?? end.error?.message ?? `Stopped: ${end.reason}.`)
    }
    if (Date.now() - turn.startedAt >= NOTIFY_AFTER_MS) this.#notify('Ready for your next prompt')
  }

  /** Restarts the idle time, which counts from the end of a turn or from the last key. */
  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    if (this.isWorking) return
    this.#idleTimer = setTimeout(
      () => void this.announceWaiting('idle_prompt', 'Haft is waiting for your input'),
      this.idleMs,
    ).unref()
  }

  #startNext(): void {
    const submission = this.#waiting.takeNext()
    if (submission !== undefined) void this.#work(submission)
  }

  /** Passes input to the working model, which receives it with its next request. */
  async #steer(submission: PromptSubmission): Promise<void> {
    try {
      const prompt = await this.session.readSubmission(submission)
      if (!this.isWorking) {
        void this.#work(submission)
        return
      }
      this.#waiting.steer(submission, prompt)
    } catch (error) {
      // An attached image cannot be read.
      this.transcript.addNotice('error', reasonOf(error))
    }
    this.prompt.draw()
  }

  #handleEvent(event: SessionEvent): void {
    const receivedPrompt = event.type === 'message-added' ? this.#waiting.takeReceived(event.message) : undefined
    if (receivedPrompt !== undefined) this.transcript.addPrompt(receivedPrompt.text)
    this.transcript.handle(event)
    this.prompt.draw()
  }

  /** Shortcuts that are handled before the editor. One that does not apply now returns false. */
  readonly #shortcuts: Readonly<Record<string, () => unknown>> = {
    'ctrl+c': () => this.#handleControlC(),
    'ctrl+d': () => (this.prompt.editor.isEmpty ? this.exit() : false),
    'ctrl+o': () => this.openTranscript(),
    'ctrl+b': () => (this.prompt.editor.isEmpty ? this.openTasks() : false),
    'ctrl+g': () => this.openExternalEditor(),
    'ctrl+z': () => this.prompt.screen.suspend(),
    'shift+tab': () => void this.cycleMode(),
    'alt+enter': () => (this.isWorking && !this.prompt.editor.isEmpty ? this.#enqueue() : false),
    up: () => (this.prompt.editor.isEmpty && !this.#waiting.isEmpty ? this.#editWaiting() : false),
  }

  #handleKey(event: InputEvent): boolean {
    if (event.type === 'focus') this.#hasFocus = event.hasFocus
    if (event.type !== 'key') return event.type === 'focus'
    this.#restartIdleTimer()
    const shortcut = this.#shortcuts[shortcutOf(event)]
    return shortcut !== undefined && shortcut() !== false
  }

  #handleUnusedKey(event: InputEvent): void {
    if (isKey(event, 'escape') && this.isWorking) this.interrupt()
    else if (isKey(event, 'tab') && this.isWorking && !this.prompt.editor.isEmpty) this.#enqueue()
  }

  #handleControlC(): void {
    const { editor } = this.prompt
    const now = Date.now()
    if (!editor.isEmpty) editor.setText('')
    else if (this.isWorking) this.interrupt()
    else if (now - this.#lastInterruptAt < EXIT_WINDOW_MS) {
      this.exit()
      return
    } else {
      this.showHint('Press Ctrl+C again to leave')
      setTimeout(() => this.showHint(undefined), EXIT_WINDOW_MS).unref()
    }
    this.#lastInterruptAt = now
  }

  #enqueue(): void {
    this.#waiting.enqueue(this.prompt.takeSubmission())
  }

  #editWaiting(): void {
    const submission = this.#waiting.takeNewest()
    if (submission !== undefined) this.prompt.editor.setText(submission.text)
  }

  async cycleMode(): Promise<void> {
    const { mode } = this.session.session.runtime.permissions
    const nextMode = CYCLED_MODES[(CYCLED_MODES.indexOf(mode) + 1) % CYCLED_MODES.length] ?? 'default'
    const refusal = await this.session.setMode(nextMode)
    if (refusal !== undefined) this.transcript.addNotice('warning', refusal)
    else if (this.prompt.isScreenReader) this.transcript.addNotice('info', `Permission mode: ${nextMode}`)
    this.prompt.draw()
  }

  #setTitle(): void {
    const folder = basename(this.session.session.runtime.cwd)
    this.prompt.screen.setTitle(this.isWorking ? `● haft ${folder}` : `haft ${folder}`)
  }

  #renderLiveRows(maxRows: number): readonly StyledLine[] {
    const { columns } = this.prompt.screen
    const rowsBelow: StyledLine[] = []
    // A dialog already shows what Haft is waiting for, and Esc closes it instead of interrupting the model.
    if (this.#turn !== undefined && this.prompt.dialogs.length === 0) {
      const { spending } = this.session.session
      const work = {
        activity: this.#activity ?? this.#hookStatus ?? this.transcript.activity,
        elapsedMs: Date.now() - this.#turn.startedAt,
        tokens: spending.tokens - this.#turn.tokensBefore,
        costUsd: spending.costUsd,
      }
      rowsBelow.push(BLANK_LINE, renderWork(work, columns), ...renderTodos(this.session.todos(), columns))
    }
    rowsBelow.push(...renderTeam(this.session.team(), columns))
    const { steeringTexts, queuedTexts } = this.#waiting
    const keys = this.isWorking ? '↑ edits' : 'Enter sends, ↑ edits'
    rowsBelow.push(...renderQueue(steeringTexts, 'with the next step (↑ edits):', columns))
    rowsBelow.push(...renderQueue(queuedTexts, `queued (${keys}):`, columns))
    return [...this.transcript.renderLiveRows(Math.max(0, maxRows - rowsBelow.length)), ...rowsBelow]
  }

  #renderStatusRow(): StyledLine {
    const { runtime, model } = this.session.session
    const runningTasks = runtime.tasks.list().filter(({ status }) => status === 'running')
    const facts = {
      mode: runtime.permissions.mode,
      model: model.id,
      folder: basename(runtime.cwd),
      contextUsage: this.#contextUsage(),
      runningTasks: runningTasks.length,
      hint: this.#hint ?? (this.prompt.editor.mode === 'normal' ? 'vim: normal mode, i inserts' : undefined),
    }
    return renderStatus(facts, this.prompt.screen.columns)
  }

  #contextUsage(): number | undefined {
    const usage = this.#lastEnd?.counted?.usage
    if (usage === undefined) return undefined
    const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite
    return tokens === 0 ? undefined : tokens / this.session.session.model.facts.contextWindow
  }
}
