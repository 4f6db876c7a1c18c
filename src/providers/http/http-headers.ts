type HeadersInit = Iterable<readonly [string, string]> | Readonly<Record<string, string>>

/** The part of `Headers` that providers' SDKs use; the global one would load all of Node's fetch. */
export class HttpHeaders implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>()

  constructor(init?: HeadersInit | null) {
    if (init === undefined || init === null) return
    const pairs = Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init)
    for (const [name, value] of pairs) this.append(name, value)
  }

  append(name: string, value: string): void {
    const former = this.get(name)
    this.set(name, former === null ? value : `${former}, ${value}`)
  }

  set(name: string, value: string): void {
    this.#values.set(String(name).toLowerCase(), String(value).trim())
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  forEach(visit: (value: string, name: string, headers: HttpHeaders) => void): void {
    for (const [name, value] of this.#values) visit(value, name, this)
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }

  keys(): IterableIterator<string> {
    return this.#values.keys()
  }

  values(): IterableIterator<string> {
    return this.#values.values()
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
}
