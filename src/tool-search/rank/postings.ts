import { FIELD_COUNT, SERVER_FIELD } from './tool-terms.js'
import { RANKING_WEIGHTS } from './weights.js'

/** The counts of the four fields are packed into one 32-bit number. */
const COUNT_BITS = 7
const MAX_COUNT = 2 ** COUNT_BITS - 1

/** The tools that contain a term, and the packed counts by field. */
interface Posting {
  readonly slots: number[]
  readonly counts: number[]
  /** The BM25F value of the term in each tool, between 0 and 1. Computed on demand. */
  values: Float64Array
  /** The version of the index for which `values` was computed. */
  version: number
}

/** Is notified when the first tool with a term is added and when the last one is removed. */
interface TermListener {
  onTermAdded(term: string): void
  onTermRemoved(term: string): void
}

/** An inverted index from terms to tools. A tool is a slot number; slots of removed tools are reused. */
export class Postings {
  readonly #terms = new Map<string, Posting>()
  readonly #termsBySlot: (readonly string[] | undefined)[] = []
  /** By slot, the number of terms from the name and server. These terms come first in `#termsBySlot`. */
  readonly #nameTermCounts: number[] = []
  readonly #freeSlots: number[] = []
  readonly #lengths: number[][] = Array.from({ length: FIELD_COUNT }, () => [])
  readonly #totalLengths: number[] = Array.from({ length: FIELD_COUNT }, () => 0)
  #norms: Float64Array | undefined
  #version = 0
  readonly #listener: TermListener
  /** The number of tools. */
  size = 0

  constructor(listener: TermListener) {
    this.#listener = listener
  }

  /** Returns the number of slots, including free ones. */
  get slotCount(): number {
    return this.#termsBySlot.length
  }

  /** Adds a tool by the terms of its fields and returns its slot. */
  add(fields: readonly (readonly string[])[]): number {
    const slot = this.#freeSlots.pop() ?? this.#termsBySlot.length
    const counts = new Map<string, number>()
    for (const [field, terms] of fields.entries()) {
      this.#setLength(slot, field, terms.length)
      for (const term of terms) {
        const packedCounts = counts.get(term) ?? 0
        if (((packedCounts >>> (field * COUNT_BITS)) & MAX_COUNT) < MAX_COUNT)
          counts.set(term, packedCounts + (1 << (field * COUNT_BITS)))
      }
      if (field === SERVER_FIELD) this.#nameTermCounts[slot] = counts.size
    }
    for (const [term, count] of counts) this.#append(term, slot, count)
    this.#termsBySlot[slot] = [...counts.keys()]
    this.size += 1
    this.#invalidate()
    return slot
  }

  remove(slot: number): void {
    for (const term of this.#termsBySlot[slot] ?? []) this.#drop(term, slot)
    for (let field = 0; field < FIELD_COUNT; field++) this.#setLength(slot, field, 0)
    this.#termsBySlot[slot] = undefined
    this.#freeSlots.push(slot)
    this.size -= 1
    this.#invalidate()
  }

  termsOf(slot: number): readonly string[] {
    return this.#termsBySlot[slot] ?? []
  }

  /** Returns the terms of the tool's name and server. */
  nameTermsOf(slot: number): readonly string[] {
    return this.termsOf(slot).slice(0, this.#nameTermCounts[slot])
  }

  has(term: string): boolean {
    return this.#terms.has(term)
  }

  /** Returns the number of tools that contain a term. */
  countTools(term: string): number {
    return this.#terms.get(term)?.slots.length ?? 0
  }

  /** Returns the inverse document frequency of a term that occurs in `frequency` tools. */
  computeIdf(frequency: number): number {
    return Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5))
  }

  /**
   * Raises the entries of `bestWeights` to the weighted value of the term in each tool that contains it. Adds slots whose
   * entry was 0 to `touchedSlots`.
   */
  raiseScores(term: string, weight: number, bestWeights: Float64Array, touchedSlots: number[]): void {
    const posting = this.#terms.get(term)
    if (posting === undefined) return
    const { slots } = posting
    const values = this.#valuesOf(posting)
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] ?? 0
      const value = weight * (values[index] ?? 0)
      const weightBefore = bestWeights[slot] ?? 0
      if (weightBefore === 0) touchedSlots.push(slot)
      if (value > weightBefore) bestWeights[slot] = value
    }
  }

  #valuesOf(posting: Posting): Float64Array {
    if (posting.version === this.#version) return posting.values
    const norms = this.#computeNorms()
    const { slots, counts } = posting
    const values = new Float64Array(slots.length)
    for (let index = 0; index < slots.length; index++) {
      let value = 0
      for (let field = 0; field < FIELD_COUNT; field++)
        value +=
          (((counts[index] ?? 0) >>> (field * COUNT_BITS)) & MAX_COUNT) *
          (norms[(slots[index] ?? 0) * FIELD_COUNT + field] ?? 0)
      values[index] = value / (value + RANKING_WEIGHTS.saturation)
    }
    posting.values = values
    posting.version = this.#version
    return values
  }

  #computeNorms(): Float64Array {
    if (this.#norms !== undefined) return this.#norms
    const norms = new Float64Array(this.slotCount * FIELD_COUNT)
    for (let field = 0; field < FIELD_COUNT; field++) {
      // At least one word: otherwise a server name would have no weight if few tools have a server.
      const averageLength = Math.max(1, (this.#totalLengths[field] ?? 0) / this.size)
      const share = RANKING_WEIGHTS.lengths[field] ?? 0
      const lengths = this.#lengths[field] ?? []
      for (let slot = 0; slot < this.slotCount; slot++)
        norms[slot * FIELD_COUNT + field] =
          (RANKING_WEIGHTS.fields[field] ?? 0) / (1 - share + (share * (lengths[slot] ?? 0)) / averageLength)
    }
    this.#norms = norms
    return norms
  }

  #invalidate(): void {
    this.#norms = undefined
    this.#version += 1
  }

  #setLength(slot: number, field: number, length: number): void {
    const lengths = this.#lengths[field] ?? []
    this.#totalLengths[field] = (this.#totalLengths[field] ?? 0) + length - (lengths[slot] ?? 0)
    lengths[slot] = length
  }

  #append(term: string, slot: number, count: number): void {
    const posting = this.#terms.get(term)
    if (posting !== undefined) {
      posting.slots.push(slot)
      posting.counts.push(count)
      return
    }
    this.#terms.set(term, { slots: [slot], counts: [count], values: new Float64Array(0), version: -1 })
    this.#listener.onTermAdded(term)
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
    this.#listener.onTermRemoved(term)
  }
}
