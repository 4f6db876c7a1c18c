import { FIELDS, SERVER } from './tool-terms.js'
import { WEIGHTS } from './weights.js'

const BITS = 7
const MOST = 2 ** BITS - 1

/** Which tools have a term, and how often in which field: the counts of four fields in one number. */
interface Posting {
  readonly slots: number[]
  readonly counts: number[]
  /** What the term is worth in each tool, between 0 and 1; computed when asked for, while no tool comes or goes. */
  worths: Float64Array
  /** The state of the tools that `worths` was computed in. */
  version: number
}

/** Hears of terms that the first tool has, and of those that no tool has any more. */
interface TermWatcher {
  onNew(term: string): void
  onLost(term: string): void
}

/** Terms and the tools that have them. A tool is a slot; slots of removed tools are used again. */
export class Postings {
  readonly #terms = new Map<string, Posting>()
  readonly #bySlot: (readonly string[] | undefined)[] = []
  /** How many of a slot's terms are in its name or server: they come first. */
  readonly #nameSizes: number[] = []
  readonly #free: number[] = []
  readonly #lengths: number[][] = Array.from({ length: FIELDS }, () => [])
  readonly #totals: number[] = Array.from({ length: FIELDS }, () => 0)
  #norms: Float64Array | undefined
  #version = 0
  readonly #watcher: TermWatcher
  size = 0

  constructor(watcher: TermWatcher) {
    this.#watcher = watcher
  }

  get slots(): number {
    return this.#bySlot.length
  }

  add(fields: readonly (readonly string[])[]): number {
    const slot = this.#free.pop() ?? this.#bySlot.length
    const counts = new Map<string, number>()
    for (const [field, terms] of fields.entries()) {
      this.#setLength(slot, field, terms.length)
      for (const term of terms) {
        const packed = counts.get(term) ?? 0
        if (((packed >>> (field * BITS)) & MOST) < MOST) counts.set(term, packed + (1 << (field * BITS)))
      }
      if (field === SERVER) this.#nameSizes[slot] = counts.size
    }
    for (const [term, count] of counts) this.#append(term, slot, count)
    this.#bySlot[slot] = [...counts.keys()]
    this.size += 1
    this.#change()
    return slot
  }

  remove(slot: number): void {
    for (const term of this.#bySlot[slot] ?? []) this.#drop(term, slot)
    for (let field = 0; field < FIELDS; field++) this.#setLength(slot, field, 0)
    this.#bySlot[slot] = undefined
    this.#free.push(slot)
    this.size -= 1
    this.#change()
  }

  termsOf(slot: number): readonly string[] {
    return this.#bySlot[slot] ?? []
  }

  /** Those of its name and its server. */
  nameTermsOf(slot: number): readonly string[] {
    return this.termsOf(slot).slice(0, this.#nameSizes[slot])
  }

  has(term: string): boolean {
    return this.#terms.has(term)
  }

  /** In how many tools a term is. */
  frequency(term: string): number {
    return this.#terms.get(term)?.slots.length ?? 0
  }

  /** How much it says that a tool has a term that so many have. */
  idf(frequency: number): number {
    return Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5))
  }

  /** Raises `best` to what the term is worth in each tool that has it; slots that were 0 are added to `touched`. */
  raise(term: string, weight: number, best: Float64Array, touched: number[]): void {
    const posting = this.#terms.get(term)
    if (posting === undefined) return
    const { slots } = posting
    const worths = this.#worthsOf(posting)
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] ?? 0
      const value = weight * (worths[index] ?? 0)
      const before = best[slot] ?? 0
      if (before === 0) touched.push(slot)
      if (value > before) best[slot] = value
    }
  }

  #worthsOf(posting: Posting): Float64Array {
    if (posting.version === this.#version) return posting.worths
    const norms = this.#currentNorms()
    const { slots, counts } = posting
    const worths = new Float64Array(slots.length)
    for (let index = 0; index < slots.length; index++) {
      let worth = 0
      for (let field = 0; field < FIELDS; field++)
        worth += (((counts[index] ?? 0) >>> (field * BITS)) & MOST) * (norms[(slots[index] ?? 0) * FIELDS + field] ?? 0)
      worths[index] = worth / (worth + WEIGHTS.saturation)
    }
    posting.worths = worths
    posting.version = this.#version
    return worths
  }

  #currentNorms(): Float64Array {
    if (this.#norms !== undefined) return this.#norms
    const norms = new Float64Array(this.slots * FIELDS)
    for (let field = 0; field < FIELDS; field++) {
      // At least one word, lest a server's name count for nothing where hardly any tool has a server.
      const average = Math.max(1, (this.#totals[field] ?? 0) / this.size)
      const part = WEIGHTS.lengths[field] ?? 0
      const lengths = this.#lengths[field] ?? []
      for (let slot = 0; slot < this.slots; slot++)
        norms[slot * FIELDS + field] =
          (WEIGHTS.fields[field] ?? 0) / (1 - part + (part * (lengths[slot] ?? 0)) / average)
    }
    this.#norms = norms
    return norms
  }

  #change(): void {
    this.#norms = undefined
    this.#version += 1
  }

  #setLength(slot: number, field: number, length: number): void {
    const lengths = this.#lengths[field] ?? []
    this.#totals[field] = (this.#totals[field] ?? 0) + length - (lengths[slot] ?? 0)
    lengths[slot] = length
  }

  #append(term: string, slot: number, count: number): void {
    const posting = this.#terms.get(term)
    if (posting !== undefined) {
      posting.slots.push(slot)
      posting.counts.push(count)
      return
    }
    this.#terms.set(term, { slots: [slot], counts: [count], worths: new Float64Array(0), version: -1 })
    this.#watcher.onNew(term)
  }

  #drop(term: string, slot: number): void {
    const posting = this.#terms.get(term)
    if (posting === undefined) return
    const { slots, counts } = posting
    const at = slots.lastIndexOf(slot)
    const lastSlot = slots.pop() ?? 0
    const lastCount = counts.pop() ?? 0
    if (at < slots.length) {
      slots[at] = lastSlot
      counts[at] = lastCount
    }
    if (slots.length > 0) return
    this.#terms.delete(term)
    this.#watcher.onLost(term)
  }
}
