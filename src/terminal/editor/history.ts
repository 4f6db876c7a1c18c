const MAX_ENTRIES = 1_000

/** Earlier prompts, and the user's position in them. */
export class History {
  #entries: string[]
  /** The entry shown, counted from the newest. 0 is the draft. */
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

  /** Ends the movement through the history: the shown text becomes the draft. */
  leave(): void {
    this.#offset = 0
    this.#search = undefined
  }

  /**
   * Moves to the next older entry and returns it, or undefined at the oldest. The first time, `text` is kept as the
   * draft.
   */
  moveToOlder(text: string): string | undefined {
    if (this.#offset >= this.#entries.length) return undefined
    if (this.#offset === 0) this.#draft = text
    this.#offset++
    return this.#entries.at(-this.#offset)
  }

  /** Moves to the next newer entry and returns it. After the newest entry comes the draft. */
  moveToNewer(): string | undefined {
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

  /** Finds the newest entry that contains the query, starting at the last match. */
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
    const lowerQuery = query.toLowerCase()
    for (let index = Math.min(from, this.#entries.length - 1); index >= 0; index--) {
      const entry = this.#entries[index]
      if (!entry?.toLowerCase().includes(lowerQuery)) continue
      this.#search = { query, index }
      return query === '' ? undefined : entry
    }
    this.#search = { query, index: Math.max(0, Math.min(from, this.#entries.length - 1)) }
    return undefined
  }
}
