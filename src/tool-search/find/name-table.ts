import { compareCodeUnits } from '../../shared/compare-code-units.js'

/** Normalises a name for comparison: letter case, whitespace and Unicode composition do not matter. */
export function foldName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** Maps names to keys, ignoring letter case. A key may have several names, and a name several keys. */
export class NameTable {
  readonly #byName = new Map<string, Set<string>>()
  readonly #namesOf = new Map<string, readonly string[]>()
  /** All names in order; undefined after a change until the next prefix search. */
  #sortedNames: string[] | undefined

  add(key: string, names: readonly string[]): void {
    const foldedNames = [...new Set(names.map(foldName))]
    this.#namesOf.set(key, foldedNames)
    for (const name of foldedNames) {
      const keys = this.#byName.get(name)
      if (keys !== undefined) keys.add(key)
      else {
        this.#byName.set(name, new Set([key]))
        this.#sortedNames = undefined
      }
    }
  }

  remove(key: string): void {
    for (const name of this.#namesOf.get(key) ?? []) {
      const keys = this.#byName.get(name)
      keys?.delete(key)
      if (keys?.size !== 0) continue
      this.#byName.delete(name)
      this.#sortedNames = undefined
    }
    this.#namesOf.delete(key)
  }

  keys(): Iterable<string> {
    return this.#namesOf.keys()
  }

  names(): Iterable<string> {
    return this.#byName.keys()
  }

  findKeysByName(name: string): readonly string[] {
    return [...(this.#byName.get(foldName(name)) ?? [])]
  }

  /** Returns the keys with a name that starts with `prefix`, shortest names first. */
  findKeysByPrefix(prefix: string): readonly string[] {
    const foldedPrefix = foldName(prefix)
    if (foldedPrefix === '') return []
    this.#sortedNames ??= [...this.#byName.keys()].sort(compareCodeUnits)
    const names: string[] = []
    for (
      let at = findLowerBound(this.#sortedNames, foldedPrefix);
      this.#sortedNames[at]?.startsWith(foldedPrefix);
      at++
    ) {
      names.push(this.#sortedNames[at] as string)
    }
    names.sort((a, b) => a.length - b.length || compareCodeUnits(a, b))
    return [...new Set(names.flatMap((name) => [...(this.#byName.get(name) ?? [])]))]
  }

  /** Whether each of these words occurs in some name of the key. */
  contains(key: string, words: readonly string[]): boolean {
    const names = this.#namesOf.get(key) ?? []
    return words.every((word) => names.some((name) => name.includes(word)))
  }
}

/** Returns the index of the first name that is not before `prefix`. */
function findLowerBound(sortedNames: readonly string[], prefix: string): number {
  let low = 0
  let high = sortedNames.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareCodeUnits(sortedNames[middle] as string, prefix) < 0) low = middle + 1
    else high = middle
  }
  return low
}
