import { ToolCallError } from '../contract/errors.js'

/** Why a call is to end before it has answered. */
export type CancelReason =
  | { readonly type: 'interrupted'; readonly message?: string }
  | { readonly type: 'aborted'; readonly message?: string }
  | { readonly type: 'timed-out'; readonly afterMs: number }

/** How long a call may go on after its signal was aborted before it is left behind. */
export const DEFAULT_GRACE_MS = 2_000

/** The life line of one call: how it is told to end, and how its caller gets away if it does not. */
export class CallControl {
  readonly #graceMs: number
  #controller: AbortController | undefined
  #reason: CancelReason | undefined
  #onCancel: ((reason: CancelReason) => void) | undefined

  constructor(graceMs = DEFAULT_GRACE_MS) {
    this.#graceMs = graceMs
  }

  /** Made when first asked for: most calls never look at their signal. */
  get abortController(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller
  }

  get reason(): CancelReason | undefined {
    return this.#reason
  }

  /** Only the first reason counts. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#onCancel?.(reason)
  }

  throwIfCancelled(toolName: string): void {
    if (this.#reason !== undefined) throw cancelError(toolName, this.#reason, 'did not start')
  }

  /** Settles as the work does; once cancelled, when the work has ended or the grace period has passed. */
  race<T>(toolName: string, work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let grace: NodeJS.Timeout | undefined
      const end = (settle: () => void) => {
        clearTimeout(grace)
        this.#onCancel = undefined
        const reason = this.#reason
        if (reason === undefined) settle()
        else reject(cancelError(toolName, reason, 'stopped'))
      }
      this.#onCancel = (reason) => {
        grace = setTimeout(() => reject(cancelError(toolName, reason, 'left')), this.#graceMs)
      }
      if (this.#reason !== undefined) this.#onCancel(this.#reason)
      work.then(
        (value) => end(() => resolve(value)),
        (error) => end(() => reject(error)),
      )
    })
  }
}

function cancelError(toolName: string, reason: CancelReason, how: 'did not start' | 'stopped' | 'left'): ToolCallError {
  const cause = { cause: reason }
  if (how === 'left') {
    const message = `${whatHappened(toolName, reason)} It did not stop when it was told to and was left behind; it may still be at work.`
    return new ToolCallError('abandoned', message, cause)
  }
  const code = reason.type === 'timed-out' ? 'timed_out' : 'cancelled'
  return new ToolCallError(
    code,
    `${whatHappened(toolName, reason)}${how === 'did not start' ? ' It had not started.' : ''}`,
    cause,
  )
}

function whatHappened(toolName: string, reason: CancelReason): string {
  if (reason.type === 'timed-out') return `${toolName} took longer than its limit of ${reason.afterMs} ms.`
  if (reason.message !== undefined) return reason.message
  return reason.type === 'interrupted' ? `The user cancelled ${toolName}.` : `${toolName} was cancelled.`
}
