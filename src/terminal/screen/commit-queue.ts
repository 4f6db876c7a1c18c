import type { StyledLine } from '../../views/styled-line.js'

/**
 * How many characters are written at once. The terminal must read them before the next ones, so that keys are handled
 * soon.
 */
const MAX_COMMIT_LENGTH = 32 * 1024

/** Finished lines that are not on the screen yet. */
export class CommitQueue {
  #lines: StyledLine[] = []

  get length(): number {
    return this.#lines.length
  }

  add(lines: readonly StyledLine[]): void {
    for (const line of lines) this.#lines.push(line)
  }

  /** Adds lines at the front of the queue. */
  putBack(lines: readonly StyledLine[]): void {
    if (lines.length > 0) this.#lines = [...lines, ...this.#lines]
  }

  /** Takes as many lines as may be written at once. */
  take(): StyledLine[] {
    let length = 0
    let count = 0
    while (count < this.#lines.length && length < MAX_COMMIT_LENGTH) {
      for (const { text } of this.#lines[count] ?? []) length += text.length
      count++
    }
    const takenLines = this.#lines.slice(0, count)
    this.#lines = this.#lines.slice(count)
    return takenLines
  }

  takeAll(): StyledLine[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
