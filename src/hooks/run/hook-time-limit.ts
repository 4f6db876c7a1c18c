/** Ends one hook at its time limit, or earlier when it is cancelled. */
export class HookTimeLimit {
  endReason?: 'timed-out' | 'cancelled'
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#end('timed-out'), ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#end('cancelled')
  }

  clear(): void {
    clearTimeout(this.#timer)
  }

  #end(reason: 'timed-out' | 'cancelled'): void {
    if (this.endReason !== undefined) return
    this.clear()
    this.endReason = reason
    this.#controller.abort()
  }
}
