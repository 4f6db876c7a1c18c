/** Several streams as one, in the order things come. No source is read further ahead than by one value. */
export class Interleaved<T> implements AsyncIterable<T> {
  readonly #open = new Set<AsyncIterator<T>>()
  readonly #ready: { readonly source: AsyncIterator<T>; readonly value: T }[] = []
  #failure: { readonly error: unknown } | undefined
  #wake: (() => void) | undefined

  /** Gives the function that leaves the source alone from now on, whatever it waits for. */
  add(stream: AsyncIterable<T>): () => void {
    const source = stream[Symbol.asyncIterator]()
    this.#open.add(source)
    this.#pull(source)
    return () => this.#drop(source)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = this.#ready.shift()
        if (next !== undefined) {
          if (this.#open.has(next.source)) this.#pull(next.source)
          yield next.value
        } else if (this.#failure !== undefined) throw this.#failure.error
        else if (this.#open.size === 0) return
        else await this.#news()
      }
    } finally {
      for (const source of this.#open) this.#drop(source)
    }
  }

  #pull(source: AsyncIterator<T>): void {
    source.next().then(
      ({ done, value }) => {
        if (!this.#open.has(source)) return
        if (done === true) this.#open.delete(source)
        else this.#ready.push({ source, value })
        this.#tell()
      },
      (error: unknown) => {
        if (!this.#open.delete(source)) return
        this.#failure ??= { error }
        this.#tell()
      },
    )
  }

  #drop(source: AsyncIterator<T>): void {
    if (!this.#open.delete(source)) return
    // Told and not waited for: it may be stuck in the very thing that nobody wants any more.
    source.return?.()?.catch(() => {})
    this.#tell()
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #tell(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
