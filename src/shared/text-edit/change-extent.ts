import type { TextChange } from './text-change.js'
import type { ChangedText } from './unified-patch.js'

/** What is known to be the same before and after changes that follow each other, each on the text the last one left. */
export class ChangeExtent {
  private samePrefix = Number.POSITIVE_INFINITY
  private sameSuffix = Number.POSITIVE_INFINITY

  /** Changes to one text, in order. */
  add(text: string, changes: readonly TextChange[]): void {
    const first = changes[0]
    const last = changes.at(-1)
    if (first === undefined || last === undefined) return
    this.samePrefix = Math.min(this.samePrefix, first.start)
    this.sameSuffix = Math.min(this.sameSuffix, text.length - last.end)
  }

  between(before: string, after: string): ChangedText {
    const shorter = Math.min(before.length, after.length)
    const samePrefix = Math.min(this.samePrefix, shorter)
    return { before, after, samePrefix, sameSuffix: Math.min(this.sameSuffix, shorter - samePrefix) }
  }
}
