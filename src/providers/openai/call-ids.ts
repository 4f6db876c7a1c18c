import { randomBytes } from 'node:crypto'
import type { ModelMessage } from '../../contract/model.js'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** What Mistral's models demand of an id; others take any. */
const LENGTH = 9

/** Gives each call an id of its own in the conversation: some servers leave ids out, and some begin anew every time. */
export class CallIds {
  readonly #taken = new Set<string>()

  constructor(messages: readonly ModelMessage[]) {
    for (const message of messages) {
      if (message.type !== 'assistant') continue
      for (const block of message.content) if (block.type === 'tool_use') this.#taken.add(block.id)
    }
  }

  /** The id that the server gave, if nobody has it yet. */
  claim(given: unknown): string {
    let id = typeof given === 'string' && given !== '' ? given : madeId()
    while (this.#taken.has(id)) id = madeId()
    this.#taken.add(id)
    return id
  }
}

function madeId(): string {
  return Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('')
}
