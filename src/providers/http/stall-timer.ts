/** Tells when somebody has waited for too long. One serves for all waits: a new one for each piece would cost more than reading it. */
export class StallTimer {
  readonly #onStall: () => void
  #timer: NodeJS.Timeout | undefined
  #limitMs = 0
  #isWaiting = false

  constructor(onStall: () => void) {
    this.#onStall = onStall
  }

  start(limitMs: number): void {
    this.#isWaiting = true
    if (this.#timer !== undefined && limitMs === this.#limitMs) return void this.#timer.refresh()
    clearTimeout(this.#timer)
    this.#limitMs = limitMs
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) this.#onStall()
    }, limitMs)
    this.#timer.unref()
  }

  /** What came is being looked at, and that may take as long as it likes. */
  pause(): void {
    this.#isWaiting = false
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
