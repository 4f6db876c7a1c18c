import { reasonOf } from '../../../shared/reason-of.js'
import { BoundedQueue } from '../../io/bounded-queue.js'
import { readLines } from '../../io/read-lines.js'
import { type ControlResponse, type ParsedLine, parseInputLine } from '../schema/input-schema.js'

const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Reading pauses when so much input waits for the session to open. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** A line of a driving program other than an answer. */
export interface ReceivedLine {
  readonly number: number
  readonly bytes: number
  readonly line: Exclude<ParsedLine, { answer: ControlResponse }>
}

/**
 * Reads the lines of a driving program. Answers are handled at once, also before the session is open, because opening it may
 * need them. Other lines wait until they are read here.
 */
export class InputReader {
  readonly #lines = new BoundedQueue<ReceivedLine>(MAX_WAITING_BYTES)
  readonly #iterator = this.#lines[Symbol.asyncIterator]()
  /** Resolves when the input has ended. */
  readonly ended: Promise<void>

  /** @param receive handles an answer; returns a problem if it is invalid */
  constructor(input: AsyncIterable<Uint8Array | string>, receive: (answer: ControlResponse) => string | undefined) {
    this.ended = this.#read(input, receive)
  }

  /** Returns the next line; undefined at the end of the input. */
  async next(): Promise<ReceivedLine | undefined> {
    const { value, done } = await this.#iterator.next()
    return done === true ? undefined : value
  }

  close(): void {
    this.#lines.close()
  }

  async #read(
    input: AsyncIterable<Uint8Array | string>,
    receive: (answer: ControlResponse) => string | undefined,
  ): Promise<void> {
    try {
      for await (const inputLine of readLines(input, { maxBytes: MAX_LINE_BYTES })) {
        const { number, bytes } = inputLine
        if ('problem' in inputLine) await this.#add(number, bytes, { problem: inputLine.problem })
        else if (inputLine.text.trim() !== '') {
          const parsedLine = parseInputLine(inputLine.text)
          if (!('answer' in parsedLine)) await this.#add(number, bytes, parsedLine)
          else {
            const problem = receive(parsedLine.answer)
            if (problem !== undefined) await this.#add(number, bytes, { problem })
          }
        }
      }
    } catch (error) {
      await this.#add(0, 0, { problem: `cannot be read: ${reasonOf(error)}` })
    }
    this.#lines.close()
  }

  #add(number: number, bytes: number, line: ReceivedLine['line']): Promise<void> {
    return this.#lines.push({ number, bytes, line }, bytes)
  }
}
