import { closeSync, constants, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { InputEvent } from './input-event.js'
import { InputParser, type PendingInput, type TerminalReply } from './input-parser.js'

/** How long to wait for more input. If nothing follows `escape`, the input was the Escape key. */
const WAIT_MS: Readonly<Record<Exclude<PendingInput, 'nothing'>, number>> = {
  escape: 25,
  sequence: 100,
  'after paste': 30,
}

/** The maximum number of attempts to read a reply, 1 ms apart. */
const MAX_REPLY_ATTEMPTS = 100
const POSITION_REPLY = /\[\d+;\d+R/

/** Reads the reply to a request for the position of the cursor. Otherwise the next program would read it as keys. */
export function discardPosition(): void {
  let terminal: number | undefined
  try {
    terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK)
    let text = ''
    const bytes = Buffer.alloc(1_024)
    for (let attempt = 0; attempt < MAX_REPLY_ATTEMPTS && !POSITION_REPLY.test(text); attempt++) {
      try {
        text += bytes.toString('latin1', 0, readSync(terminal, bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
  } catch {
    // There is no terminal any more.
  } finally {
    if (terminal !== undefined) closeSync(terminal)
  }
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

  /** Set while the terminal is asked for the position of the cursor. */
  set awaitsPosition(isAwaited: boolean) {
    this.#parser.awaitsPosition = isAwaited
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
