/** Lets so many in at once; the others wait in turn. */
export class StartGate {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A place that becomes free goes to the next in turn, without being free in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
