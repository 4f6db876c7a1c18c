import type { ToolUseBlock } from '../../contract/messages.js'

/** The calls of a message while the model still speaks. */
export class CallFeed implements AsyncIterable<ToolUseBlock> {
  readonly #waiting: ToolUseBlock[] = []
  #hasEnded = false
  #wake: (() => void) | undefined

  add(call: ToolUseBlock): void {
    this.#waiting.push(call)
    this.#tell()
  }

  end(): void {
    this.#hasEnded = true
    this.#tell()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ToolUseBlock, void> {
    for (;;) {
      const call = this.#waiting.shift()
      if (call !== undefined) yield call
      else if (this.#hasEnded) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #tell(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
