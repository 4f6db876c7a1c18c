import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ToolCallError } from '../../contract/errors.js'
import type { CodeEnd, CodeLimits, CodeOutcome, CodeRequest } from '../../contract/ports/interpreter.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'
import type { ProcessTree, SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { LineBuffer, parseFromCode } from './code-data.js'
import { prepareCode } from './prepare-code.js'
import type { FromParent, ReplyResult, ToParent } from './protocol.js'

const PROCESS_SCRIPT = new URL('./process/interpreter-process.mjs', import.meta.url)

/** How much longer than its limit code may run before the process is killed. The interpreter stops most code itself. */
const KILL_MARGIN_MS = 250
/** How long a cancelled run may take to stop: while code runs, the process cannot read the message. */
const BUSY_CANCEL_MS = 100
const IDLE_CANCEL_MS = 1_500
/** Long enough for a slow machine to start Node. */
const MAX_START_MS = 30_000
const HEAP_MB = 256
/** With more than this, the process can start to work on it while further replies become ready. */
const MAX_UNSENT_CHARS = 32 * 1024

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never

interface ActiveRun {
  readonly request: CodeRequest
  readonly limits: CodeLimits
  readonly settle: (end: CodeEnd, details?: Partial<Omit<CodeOutcome, 'end'>>) => void
  readonly fail: (error: unknown) => void
}

/** The interpreter of one session: a process that is started with the first run, and killed if it does not answer. */
export class InterpreterSession {
  readonly #processes: SupervisedProcesses
  #child: ChildProcess | undefined
  #tree: ProcessTree | undefined
  #active: ActiveRun | undefined
  /** Runs of one session take turns. */
  #lastRun: Promise<unknown> = Promise.resolve()
  #sentSeq = 0
  #unsentText = ''
  #usedMs = 0
  #watchdog: NodeJS.Timeout | undefined
  /** Whether the interpreter of an earlier run was lost and no run has reported that yet. */
  #isStateLost = false
  #hasRun = false
  /** Whether the process has sent a message. Until then, it is still starting. */
  #hasStarted = false
  /** Whether code may be running. */
  #isBusy = false

  constructor(processes: SupervisedProcesses) {
    this.#processes = processes
  }

  run(request: CodeRequest, limits: CodeLimits): Promise<CodeOutcome> {
    const outcome = this.#lastRun.then(() => this.#run(request, limits))
    this.#lastRun = outcome.catch(() => undefined)
    return outcome
  }

  /** Kills the process. A run in progress ends as crashed. */
  async end(): Promise<void> {
    const tree = this.#tree
    this.#drop()
    this.#isStateLost = false
    await tree?.end()
  }

  #run(request: CodeRequest, limits: CodeLimits): Promise<CodeOutcome> {
    request.signal.throwIfAborted()
    const wasReset = this.#isStateLost
    this.#isStateLost = false
    return new Promise<CodeOutcome>((resolve, reject) => {
      const onAbort = () => this.#cancel()
      const finish = () => {
        clearTimeout(this.#watchdog)
        this.#active = undefined
        request.signal.removeEventListener('abort', onAbort)
        keepAlive(this.#child, false)
      }
      this.#active = {
        request,
        limits,
        settle: (end, details = {}) => {
          finish()
          if (request.signal.aborted) reject(request.signal.reason)
          else resolve({ unawaitedCalls: 0, droppedChars: 0, ...details, wasReset, end })
        },
        fail: (error) => {
          finish()
          reject(error)
        },
      }
      request.signal.addEventListener('abort', onAbort, { once: true })
      this.#usedMs = 0
      this.#child ??= this.#start()
      this.#hasRun = true
      keepAlive(this.#child, true)
      const { script, wrapper } = prepareCode(request.code)
      this.#send({
        ...{ type: 'run', prelude: request.prelude, setup: JSON.stringify(request.setup ?? null) },
        ...{ script, wrapper, limits },
      })
    })
  }

  #start(): ChildProcess {
    this.#hasStarted = false
    const mark = this.#processes.createMark()
    const child = spawn(
      process.execPath,
      [
        ...[`--max-old-space-size=${HEAP_MB}`, '--disallow-code-generation-from-strings', '--no-warnings'],
        fileURLToPath(PROCESS_SCRIPT),
      ],
      {
        cwd: '/',
        // The interpreter needs none of these variables, and they may contain secrets.
        env: { ...this.#processes.markVariables(mark) },
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: process.platform !== 'win32',
        windowsHide: true,
      },
    )
    if (child.pid !== undefined) this.#tree = this.#processes.adopt(child.pid, mark)
    const lines = new LineBuffer((line) => this.#receive(child, line))
    child.stdout.on('data', (chunk: Buffer) => {
      if (!lines.push(chunk)) this.#crash(child)
    })
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => {
      if (this.#child !== child) return
      this.#drop()
      const message = `The interpreter could not be started: ${reasonOf(error)}. Call the tools directly.`
      this.#active?.fail(new ToolCallError('unavailable', message, { cause: error }))
    })
    child.once('exit', () => this.#crash(child))
    return child
  }

  /** Handles a process that has ended or sends invalid messages. */
  #crash(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#drop()
    this.#active?.settle({ type: 'crashed' })
  }

  /** Ends the process at once. */
  #drop(): void {
    clearTimeout(this.#watchdog)
    killProcessGroup(this.#child?.pid)
    this.#tree?.forget()
    this.#child = undefined
    this.#tree = undefined
    this.#unsentText = ''
    this.#isStateLost = this.#hasRun
  }

  #send(message: WithoutSeq<FromParent>, json?: string): void {
    this.#sentSeq++
    const line = `${JSON.stringify({ ...message, seq: this.#sentSeq })}\n`
    if (this.#unsentText === '') setImmediate(() => this.#flush())
    this.#unsentText += json === undefined ? line : `${line}${json}\n`
    if (message.type !== 'reply' || this.#unsentText.length > MAX_UNSENT_CHARS) this.#flush()
    this.#watch()
  }

  /** Replies that become ready together are written together, because each write wakes the process. */
  #flush(): void {
    const text = this.#unsentText
    this.#unsentText = ''
    if (text !== '') this.#child?.stdin?.write(text)
  }

  /** Kills the process if it is still busy when the time of the run is over: a long operation cannot be interrupted. */
  #watch(): void {
    const limits = this.#active?.limits
    if (limits === undefined) return
    this.#isBusy = true
    clearTimeout(this.#watchdog)
    const remainingMs = Math.max(0, limits.runMs - this.#usedMs) + KILL_MARGIN_MS
    this.#watchdog = setTimeout(() => this.#killIfBusy(), this.#hasStarted ? remainingMs : MAX_START_MS)
  }

  #killIfBusy(): void {
    // Messages that have arrived are read first: this process may have been busy itself.
    const watchdog = this.#watchdog
    setImmediate(() =>
      setImmediate(() => {
        if (watchdog !== this.#watchdog || this.#active === undefined) return
        this.#drop()
        this.#active?.settle({ type: 'limit', limit: 'time', isStateLost: true })
      }),
    )
  }

  #cancel(): void {
    const waitMs = this.#isBusy ? BUSY_CANCEL_MS : IDLE_CANCEL_MS
    this.#send({ type: 'cancel' })
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => {
      this.#drop()
      this.#active?.settle({ type: 'crashed' })
    }, waitMs)
  }

  #receive(child: ChildProcess, line: string): void {
    if (this.#child !== child) return
    this.#hasStarted = true
    try {
      this.#handle(JSON.parse(line) as ToParent)
    } catch {
      // Only a process that was taken over sends anything else than the protocol describes.
      this.#crash(child)
    }
  }

  #handle(message: ToParent): void {
    if (message.type === 'busy') this.#watch()
    else if (message.type === 'idle') {
      this.#usedMs = message.usedMs
      if ((message.seq ?? this.#sentSeq) !== this.#sentSeq) return
      this.#isBusy = false
      if (this.#active?.request.signal.aborted !== true) clearTimeout(this.#watchdog)
      this.#active?.request.onIdle?.()
    } else if (message.type === 'call') void this.#answer(message)
    else if (message.type === 'emit') this.#receiveEmit(message)
    else if (message.type === 'end') this.#receiveEnd(message)
  }

  async #answer({ call, name, json }: Extract<ToParent, { type: 'call' }>): Promise<void> {
    const run = this.#active
    if (run === undefined) return
    const answer = await answerCall(run.request, name, json)
    if (this.#active === run) this.#send({ type: 'reply', call, result: answer.result }, answer.json)
  }

  #receiveEmit({ name, json }: Extract<ToParent, { type: 'emit' }>): void {
    try {
      this.#active?.request.onEmit(name, parseFromCode(json))
    } catch {
      // Data that is nested too deeply is dropped.
    }
  }

  #receiveEnd({ end, unawaitedCalls, droppedChars, isStateLost = false }: Extract<ToParent, { type: 'end' }>): void {
    const run = this.#active
    if (run === undefined) return
    if (isStateLost || end.type === 'crashed') this.#isStateLost = true
    run.settle(parseEnd(end, isStateLost), { unawaitedCalls, droppedChars })
  }
}

/** Keeps this process alive only while the interpreter is busy. */
function keepAlive(child: ChildProcess | undefined, isBusy: boolean): void {
  for (const handle of [child, child?.stdin, child?.stdout]) {
    const method = isBusy ? 'ref' : 'unref'
    if (handle && method in handle) (handle as unknown as Record<typeof method, () => void>)[method]()
  }
}

function parseEnd(end: Extract<ToParent, { type: 'end' }>['end'], isStateLost: boolean): CodeEnd {
  try {
    return toCodeEnd(end, isStateLost)
  } catch (error) {
    return { type: 'thrown', name: 'Error', message: `The value cannot be used: ${reasonOf(error)}`, stack: '' }
  }
}

function toCodeEnd(end: Extract<ToParent, { type: 'end' }>['end'], isStateLost: boolean): CodeEnd {
  if (end.type === 'limit') return { ...end, isStateLost }
  if (end.type === 'cancelled' || end.type === 'crashed') return { type: 'crashed' }
  if (end.type !== 'value') return end
  return { type: 'value', value: parseFromCode(end.json) ?? undefined }
}

interface CallAnswer {
  readonly result: ReplyResult
  readonly json?: string
}

async function answerCall(request: CodeRequest, name: string, json: string): Promise<CallAnswer> {
  try {
    const answer = await request.onCall(name, parseFromCode(json))
    // Line breaks in JSON text are only white space, and messages are lines.
    return { result: { isJson: true }, json: answer.includes('\n') ? answer.replaceAll('\n', ' ') : answer }
  } catch (error) {
    const code = isRecord(error) && typeof error.code === 'string' ? error.code : ''
    const data = isRecord(error) && error.data !== undefined ? toJson(error.data) : undefined
    return { result: { code, message: reasonOf(error), ...(data !== undefined && { data }) } }
  }
}

function toJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data)
  } catch {
    // The data of an error is optional.
    return undefined
  }
}
