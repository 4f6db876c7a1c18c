import { ToolCallError } from '../contract/errors.js'
import { MAX_TIMER_MS, readMonotonicMs } from '../shared/waiting.js'

/** Why a call ends before its tool has returned. */
export type CancelReason =
  | { readonly type: 'interrupted'; readonly message?: string }
  | { readonly type: 'aborted'; readonly message?: string }
  | { readonly type: 'timed-out'; readonly afterMs: number }

/** The parts of a call that a cancellation message depends on. */
export interface Cancellable {
  readonly toolName: string
  readonly hasReturned: boolean
}

/** How long a call may continue after its signal was aborted before it is abandoned. */
export const DEFAULT_GRACE_MS = 2_000

const { then } = Promise.prototype

/** The value of a tool's promise. Wrapped, because it may have a `then` of its own that must not be called. */
export interface SettledValue<T> {
  readonly value: T
}

/** How the work of a cancelled call ended. */
export type WorkResult<T> = SettledValue<T> | { readonly error: unknown }

/** Cancels one call, and lets its caller continue even if the tool ignores the abort signal. */
export class Cancellation {
  readonly graceMs: number
  /** Its signal is created when it is first read, because that is expensive and most calls never read it. */
  readonly abortController = new AbortController()
  #reason: CancelReason | undefined
  #listeners: ((reason: CancelReason) => void)[] | undefined

  constructor(graceMs = DEFAULT_GRACE_MS) {
    this.graceMs = graceMs >= 0 ? Math.min(Math.ceil(graceMs), MAX_TIMER_MS) : DEFAULT_GRACE_MS
  }

  get reason(): CancelReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    return this.abortController.signal
  }

  /** Cancels the call. Only the first reason counts. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.abortController.abort(toAbortError(reason))
    for (const listener of [...(this.#listeners ?? [])]) listener(reason)
  }

  throwIfCancelled(toolName: string): void {
    if (this.#reason !== undefined) throw createCancelError(toolName, this.#reason, 'not started')
  }

  /**
   * Settles as the work does, or rejects once the call is cancelled: when the work settles, at the latest after the grace
   * period. `onAbandoned` is called when the grace period passes while the work continues. `readOutput` returns what the
   * cancelled work had found or printed, for the error.
   */
  waitWithGrace<T>(
    work: Promise<T>,
    toolName: string,
    onAbandoned: () => void,
    readOutput?: (end: WorkResult<T>) => string | undefined,
  ): Promise<SettledValue<T>> {
    return new Promise<SettledValue<T>>((resolve, reject) => {
      let graceTimer: NodeJS.Timeout | undefined
      const onCancel = (reason: CancelReason) => {
        graceTimer = setTimeout(() => {
          onAbandoned()
          reject(createCancelError(toolName, reason, 'abandoned'))
        }, this.graceMs)
      }
      const end = () => {
        this.#removeListener(onCancel)
        clearTimeout(graceTimer)
        return this.#reason
      }
      this.#addListener(onCancel)
      // Not `work.then`: the promise comes from a tool and may have a `then` of its own.
      then.call(
        work,
        (value: T) => {
          const reason = end()
          if (reason === undefined) resolve({ value })
          else reject(createCancelError(toolName, reason, 'finished', readOutput?.({ value })))
        },
        (error: unknown) => {
          const reason = end()
          reject(reason === undefined ? error : createCancelError(toolName, reason, 'stopped', readOutput?.({ error })))
        },
      )
    })
  }

  /** Settles as the work does; rejects at once when the call is cancelled. Only for work that can be abandoned without harm. */
  raceWithCancellation<T>(work: Promise<T>, call: Cancellable): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onCancel = (reason: CancelReason) =>
        reject(createCancelError(call.toolName, reason, call.hasReturned ? 'returned' : 'not started'))
      this.#addListener(onCancel)
      work.then(
        (value) => {
          this.#removeListener(onCancel)
          resolve(value)
        },
        (error) => {
          this.#removeListener(onCancel)
          reject(error)
        },
      )
    })
  }

  #addListener(listener: (reason: CancelReason) => void): void {
    if (this.#reason !== undefined) listener(this.#reason)
    else if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  #removeListener(listener: (reason: CancelReason) => void): void {
    const listeners = this.#listeners
    if (listeners?.at(-1) === listener) listeners.pop()
    else if (listeners?.includes(listener)) listeners.splice(listeners.indexOf(listener), 1)
  }
}

/** Returns the reason on the tool's abort signal. Libraries recognise an abort by the name `AbortError`. */
function toAbortError(reason: CancelReason): DOMException {
  return new DOMException(describeReason('The call', reason), { name: 'AbortError', cause: reason })
}

/** How far the call had come when it was cancelled. */
type CancelledStage = 'not started' | 'stopped' | 'finished' | 'abandoned' | 'returned'

const STAGE_NOTES: Readonly<Record<CancelledStage, string>> = {
  'not started': ' It had not started.',
  stopped: ' It was stopped; changes that it had already made remain.',
  // The tool may have written a file just before: the model must not assume that nothing changed.
  finished: ' It finished before it could be stopped; its changes remain, and its result is withheld.',
  abandoned: ' It did not stop when asked and was abandoned; it may still be running.',
  returned: ' It had finished, but its result is withheld because the checks after the call did not complete.',
}

/** Notes that replace those of `STAGE_NOTES` if there is output. */
const OUTPUT_NOTES: Readonly<Partial<Record<CancelledStage, string>>> = {
  stopped: ' It was stopped; changes that it had already made remain. Its output until then:',
  finished: ' It finished before it could be stopped; its changes remain. Its result:',
}

function createCancelError(
  toolName: string,
  reason: CancelReason,
  stage: CancelledStage,
  output: string | undefined = undefined,
): ToolCallError {
  const code = stage === 'abandoned' ? 'abandoned' : reason.type === 'timed-out' ? 'timed_out' : 'cancelled'
  const notes = output === undefined ? STAGE_NOTES[stage] : `${OUTPUT_NOTES[stage]}\n\n${output}`
  return new ToolCallError(code, `${describeReason(toolName, reason)}${notes}`, { cause: reason })
}

function describeReason(toolName: string, reason: CancelReason): string {
  if (reason.type === 'timed-out') return `${toolName} took longer than its limit of ${reason.afterMs} ms.`
  if (reason.message !== undefined) return reason.message
  return reason.type === 'interrupted' ? `The user cancelled ${toolName}.` : `${toolName} was cancelled.`
}

/** The time limit of a tool. Waiting for the user does not count. */
export class TimeLimit {
  readonly #onExpired: () => void
  #remainingMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined
  #openQuestionCount = 0
  #hasEnded = false

  constructor(limitMs: number, onExpired: () => void) {
    this.#remainingMs = limitMs
    this.#onExpired = onExpired
    this.#start()
  }

  /** Pauses the limit until the work settles. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#openQuestionCount += 1
    if (this.#openQuestionCount === 1) this.#pause()
    try {
      return await work()
    } finally {
      this.#openQuestionCount -= 1
      if (this.#openQuestionCount === 0) this.#start()
    }
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #start(): void {
    if (this.#hasEnded) return
    this.#startedMs = readMonotonicMs()
    this.#timer = setTimeout(this.#onExpired, this.#remainingMs)
  }

  #pause(): void {
    clearTimeout(this.#timer)
    this.#remainingMs = Math.max(0, this.#remainingMs - (readMonotonicMs() - this.#startedMs))
  }
}

/** Whether a timer can represent the value. Other values count as no limit. */
export function isTimeLimit(limitMs: unknown): limitMs is number {
  return typeof limitMs === 'number' && limitMs >= 0 && limitMs <= MAX_TIMER_MS
}
