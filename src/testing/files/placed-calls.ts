import type { ToolEvent } from '../../contract/events.js'
import { findTouchedFiles, type NamedPaths, type TouchedFiles } from './touched-files.js'

/**
 * The files that each call of a message touches, determined as soon as its position is known: on arrival, or, behind a
 * call that runs alone, when all calls up to that one have ended. Hard links may have been separated by then.
 */
export class PlacedCalls {
  readonly touched: TouchedFiles[] = []
  readonly #root: string
  readonly #calls: NamedPaths[] = []
  readonly #ended = new Set<string>()
  endedFromStartCount = 0
  lastAloneIndex = -1

  constructor(root: string) {
    this.#root = root
  }

  /** Call this with each call just before it is sent, in order. */
  add(call: NamedPaths): void {
    this.#calls.push(call)
    this.#place()
  }

  /** Pass this as the event listener of the run. */
  onEvent(event: ToolEvent): void {
    if (event.type !== 'call-ended') return
    this.#ended.add(event.toolUseId)
    while (this.#hasEnded(this.endedFromStartCount)) this.endedFromStartCount++
    this.#place()
  }

  #place(): void {
    for (let next = this.touched.length; next < this.#calls.length; next++) {
      const call = this.#calls[next]
      if (call === undefined || this.lastAloneIndex >= this.endedFromStartCount) return
      const touched = findTouchedFiles(call, this.#root)
      this.touched.push(touched)
      if (touched.mustRunAlone && !this.#hasEnded(next)) this.lastAloneIndex = next
    }
  }

  #hasEnded(index: number): boolean {
    return this.#ended.has(`call-${index}`)
  }
}
