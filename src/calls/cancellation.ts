import { ToolCallError } from '../contract/errors.js'

/** Why a call is to end before it has answered. */
export type CancelReason =
  | { readonly type: 'interrupted'; readonly message?: string }
  | { readonly type: 'aborted'; readonly message?: string }
  | { readonly type: 'timed-out'; readonly afterMs: number }

/** What of a call its cancellation is told by. */
export interface Cancellable {
  readonly toolName: string
  readonly hasReturned: boolean
}

/** What becomes of work that may be left behind. One of the three is asked, once, at the end. */
export interface Ending<T, U> {
  readonly toolName: string
  returned(value: T): U
  /** The error to reject with. */
  failed(error: unknown): unknown
  /** The same where the work goes on, and nobody waits for it any more. */
  left(error: unknown): unknown
}

/** How long a call may go on after its signal was aborted before it is left behind. */
export const DEFAULT_GRACE_MS = 2_000

/** The longest a timer can wait; beyond it, it would not wait at all. */
export const MAX_TIMER_MS = 2 ** 31 - 1

const { then } = Promise.prototype

/** The life line of one call: how it is told to end, and how its caller gets away if it does not. */
export class CallControl {
  readonly graceMs: number
  /** Costs next to nothing until somebody looks at its signal, which costs as much as the rest of the road. */
  readonly abortController = new AbortController()
  #reason: CancelReason | undefined
  /** Told of a cancellation, the latest first to leave. */
  #listeners: ((reason: CancelReason) => void)[] | undefined

  constructor(graceMs = DEFAULT_GRACE_MS) {
    this.graceMs = graceMs >= 0 ? Math.min(Math.ceil(graceMs), MAX_TIMER_MS) : DEFAULT_GRACE_MS
  }

  get reason(): CancelReason | undefined {
    return this.#reason
  }

  /** Only the first reason counts. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.abortController.abort(abortError(reason))
    for (const listener of [...(this.#listeners ?? [])]) listener(reason)
  }

  throwIfCancelled(toolName: string): void {
    if (this.#reason !== undefined) throw cancelError(toolName, this.#reason, 'did not start')
  }

  /** Settles when the work does, with what `ending` makes of it; once cancelled, at the latest when the grace period has passed. */
  withGrace<T, U>(work: Promise<T>, ending: Ending<T, U>): Promise<U> {
    return new Promise<U>((resolve, reject) => {
      let grace: NodeJS.Timeout | undefined
      let isLeft = false
      const onCancel = (reason: CancelReason) => {
        grace = setTimeout(() => {
          isLeft = true
          reject(ending.left(cancelError(ending.toolName, reason, 'left')))
        }, this.graceMs)
      }
      const isCancelled = (when: 'stopped' | 'ended') => {
        this.#forget(onCancel)
        if (this.#reason === undefined) return false
        clearTimeout(grace)
        if (!isLeft) reject(ending.failed(cancelError(ending.toolName, this.#reason, when)))
        return true
      }
      this.#listen(onCancel)
      // As `await` does it: a promise may have been given a `then` of its own.
      then.call(
        work,
        (value: T) => {
          if (isCancelled('ended')) return
          try {
            resolve(ending.returned(value))
          } catch (error) {
            reject(ending.failed(error))
          }
        },
        (error: unknown) => {
          if (!isCancelled('stopped')) reject(ending.failed(error))
        },
      )
    })
  }

  /** Settles as the work does; once cancelled, at once. For whatever a call can leave without harm. */
  orCancelled<T>(call: Cancellable, work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onCancel = (reason: CancelReason) =>
        reject(cancelError(call.toolName, reason, call.hasReturned ? 'had run' : 'did not start'))
      this.#listen(onCancel)
      work.then(
        (value) => {
          this.#forget(onCancel)
          resolve(value)
        },
        (error) => {
          this.#forget(onCancel)
          reject(error)
        },
      )
    })
  }

  #listen(listener: (reason: CancelReason) => void): void {
    if (this.#reason !== undefined) listener(this.#reason)
    else if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  #forget(listener: (reason: CancelReason) => void): void {
    const at = this.#listeners?.lastIndexOf(listener) ?? -1
    if (at !== -1) this.#listeners?.splice(at, 1)
  }
}

/** What a tool's signal carries; libraries know an abort by this name. */
function abortError(reason: CancelReason): DOMException {
  return new DOMException(whatHappened('The call', reason), { name: 'AbortError', cause: reason })
}

/** How far a call had come when it was cancelled. */
type CancelledWhen = 'did not start' | 'stopped' | 'ended' | 'left' | 'had run'

const COMMENTS: Readonly<Record<CancelledWhen, string>> = {
  'did not start': ' It had not started.',
  stopped: '',
  // A file may have been written just then: who reads this must not take it for unchanged.
  ended: ' What it had done by then stands; its result is withheld.',
  left: ' It did not stop when it was told to and was left behind; it may still be at work.',
  'had run': ' It had run by then; its result is withheld, because it was not reviewed to the end.',
}

function cancelError(toolName: string, reason: CancelReason, when: CancelledWhen): ToolCallError {
  const code = when === 'left' ? 'abandoned' : reason.type === 'timed-out' ? 'timed_out' : 'cancelled'
  return new ToolCallError(code, `${whatHappened(toolName, reason)}${COMMENTS[when]}`, { cause: reason })
}

function whatHappened(toolName: string, reason: CancelReason): string {
  if (reason.type === 'timed-out') return `${toolName} took longer than its limit of ${reason.afterMs} ms.`
  if (reason.message !== undefined) return reason.message
  return reason.type === 'interrupted' ? `The user cancelled ${toolName}.` : `${toolName} was cancelled.`
}
