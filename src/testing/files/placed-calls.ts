import type { ToolEvent } from '../../contract/events.js'
import { findTouchedFiles, type NamedPaths, type TouchedFiles } from './touched-files.js'

/**
 * The files that each call of a message touches, determined as soon as its position is known: on arrival, or, behind a
 * call that runs alone, when all calls up to that one have ended. Hard links may have been separated by then.
 */
export class PlacedCalls {
  readonly touchedFiles: TouchedFiles[] = []
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
    for (let index = this.touchedFiles.length; index < this.#calls.length; index++) {
      const call = this.#calls[index]
      if (call === undefined || this.lastAloneIndex >= this.endedFromStartCount) return
      const touchedFiles = findTouchedFiles(call, this.#root)
      this.touchedFiles.push(touchedFiles)
      if (touchedFiles.mustRunAlone && !this.#hasEnded(index)) this.lastAloneIndex = index
    }
  }

  #hasEnded(index: number): boolean {
    return this.#ended.has(`call-${index}`)
  }
}
