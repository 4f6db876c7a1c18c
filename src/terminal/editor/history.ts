const MAX_ENTRIES = 1_000

/** Earlier prompts, and where the user is in them. */
export class History {
  #entries: string[]
  /** The entry shown, counted from the newest. 0 is the text that was being written. */
  #offset = 0
  #draft = ''
  #search: { query: string; index: number } | undefined

  constructor(entries: readonly string[]) {
    this.#entries = entries.slice(-MAX_ENTRIES)
  }

  add(text: string): void {
    this.leave()
    if (text.trim() === '' || this.#entries.at(-1) === text) return
    this.#entries.push(text)
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  /** Stops walking through the history: the shown text is a new one now. */
  leave(): void {
    this.#offset = 0
    this.#search = undefined
  }

  /** An older entry, or undefined at the oldest. `text` is kept if it is a new one. */
  older(text: string): string | undefined {
    if (this.#offset >= this.#entries.length) return undefined
    if (this.#offset === 0) this.#draft = text
    this.#offset++
    return this.#entries.at(-this.#offset)
  }

  /** A newer entry, at last the text that was being written. */
  newer(): string | undefined {
    if (this.#offset === 0) return undefined
    this.#offset--
    return this.#offset === 0 ? this.#draft : this.#entries.at(-this.#offset)
  }

  get isSearching(): boolean {
    return this.#search !== undefined
  }

  get query(): string {
    return this.#search?.query ?? ''
  }

  /** The newest entry that contains the query, from the place of the last match on. */
  search(query: string): string | undefined {
    return this.#find(query, this.#search?.index ?? this.#entries.length - 1)
  }

  searchOlder(): string | undefined {
    return this.#find(this.query, (this.#search?.index ?? this.#entries.length) - 1)
  }

  endSearch(): void {
    this.#search = undefined
  }

  #find(query: string, from: number): string | undefined {
    const wanted = query.toLowerCase()
    for (let index = Math.min(from, this.#entries.length - 1); index >= 0; index--) {
      const entry = this.#entries[index]
      if (!entry?.toLowerCase().includes(wanted)) continue
      this.#search = { query, index }
      return query === '' ? undefined : entry
    }
    this.#search = { query, index: Math.max(0, Math.min(from, this.#entries.length - 1)) }
    return undefined
  }
}
