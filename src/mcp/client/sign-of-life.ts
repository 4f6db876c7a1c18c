/** How long a request may go without a sign of life; what a person takes to answer the server does not count. */
export class SignOfLife {
  readonly #limitMs: number
  readonly #onSilence: () => void
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isOver = false

  constructor(limitMs: number, onSilence: () => void) {
    this.#limitMs = limitMs
    this.#onSilence = onSilence
    this.seen()
  }

  seen(): void {
    if (this.#isPaused || this.#isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSilence, this.#limitMs)
  }

  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
  }

  goOn(): void {
    this.#isPaused = false
    this.seen()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}
