/** Calls back if a request makes no progress for too long. It is paused while a person or a model answers the server. */
export class ActivityTimeout {
  readonly #limitMs: number
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isOver = false

  constructor(limitMs: number, onTimeout: () => void) {
    this.#limitMs = limitMs
    this.#onTimeout = onTimeout
    this.reset()
  }

  reset(): void {
    if (this.#isPaused || this.#isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onTimeout, this.#limitMs)
  }

  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
  }

  resume(): void {
    this.#isPaused = false
    this.reset()
  }

  dispose(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}
