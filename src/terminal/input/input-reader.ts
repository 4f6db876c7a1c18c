import { StringDecoder } from 'node:string_decoder'
import type { InputEvent } from './input-event.js'
import { InputParser, type PendingInput, type TerminalReply } from './input-parser.js'

/** How long to wait for more input. If nothing follows `escape`, the input was the Escape key. */
const WAIT_MS: Readonly<Record<Exclude<PendingInput, 'nothing'>, number>> = {
  escape: 25,
  sequence: 100,
  'after paste': 30,
}

/** Turns the bytes of the terminal, split anywhere, into events. */
export class InputReader {
  readonly #parser: InputParser
  readonly #decoder = new StringDecoder('utf8')
  readonly #onFlushed: () => void
  #timer: NodeJS.Timeout | undefined

  /** `onFlushed` is called after events that were emitted by a timer. */
  constructor(emit: (event: InputEvent | TerminalReply) => void, onFlushed: () => void) {
    this.#parser = new InputParser(emit)
    this.#onFlushed = onFlushed
  }

  push(bytes: Buffer): void {
    clearTimeout(this.#timer)
    this.#parser.push(this.#decoder.write(bytes))
    const { pending } = this.#parser
    if (pending === 'nothing') return
    this.#timer = setTimeout(() => {
      this.#parser.flush()
      this.#onFlushed()
    }, WAIT_MS[pending])
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
