import { changedText, type TextChange } from './text-change.js'
import type { ChangedText } from './unified-patch.js'

/** What is known to be the same before and after changes that follow each other, each on the text the last one left. */
export class ChangeExtent {
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY
  #only: readonly TextChange[] | undefined
  #steps = 0

  /** Changes to one text, in order. */
  add(text: string, changes: readonly TextChange[]): void {
    const first = changes[0]
    const last = changes.at(-1)
    if (first === undefined || last === undefined) return
    this.#samePrefix = Math.min(this.#samePrefix, first.start)
    this.#sameSuffix = Math.min(this.#sameSuffix, text.length - last.end)
    this.#only = changes
    this.#steps++
  }

  between(before: string, after: string): ChangedText {
    const shorter = Math.min(before.length, after.length)
    const samePrefix = Math.min(this.#samePrefix, shorter)
    const sameSuffix = Math.min(this.#sameSuffix, shorter - samePrefix)
    return { before, samePrefix, sameSuffix, middle: this.#middle(before, after, samePrefix, sameSuffix) }
  }

  /** Of a single step it is put together from the changes: cutting it out of a large new text would copy that first. */
  #middle(before: string, after: string, samePrefix: number, sameSuffix: number): string {
    if (this.#steps !== 1 || this.#only === undefined) return after.slice(samePrefix, after.length - sameSuffix)
    const shifted = this.#only.map(({ start, end, text }) => ({
      start: start - samePrefix,
      end: end - samePrefix,
      text,
    }))
    return changedText(before.slice(samePrefix, before.length - sameSuffix), shifted)
  }
}
