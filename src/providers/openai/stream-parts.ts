import { randomBytes } from 'node:crypto'
import { type ModelEvent, type ModelMessage, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'

/** A call whose arguments are still coming. Each step gives the events that it makes. */
export class OpenCall {
  readonly id: string
  #name: string
  #json = ''
  /** What came before the name did. */
  #waiting = ''
  #isBegun = false

  constructor(id: string, name = '') {
    this.id = id
    this.#name = name
  }

  get name(): string {
    return this.#name
  }

  get json(): string {
    return this.#json
  }

  get isWhole(): boolean {
    return isWholeObject(this.#json)
  }

  named(name: string): void {
    if (this.#name === '') this.#name = name
  }

  push(json: string): ModelEvent[] {
    this.#json += json
    this.#waiting += json
    return this.#name === '' ? [] : this.#flush()
  }

  end(): ModelEvent[] {
    const { id, name } = this
    const block = { type: 'tool_use', id, name, input: parseArguments(this.#json) } as const
    return [...this.#flush(), { type: 'block-ended', block }]
  }

  cut(): ModelEvent[] {
    return this.#isBegun ? [{ type: 'call-cut', id: this.id, name: this.#name }] : []
  }

  #flush(): ModelEvent[] {
    const { id, name } = this
    const events: ModelEvent[] = this.#isBegun ? [] : [{ type: 'call-begun', id, name }]
    if (this.#waiting !== '') events.push({ type: 'input-delta', id, json: this.#waiting })
    this.#isBegun = true
    this.#waiting = ''
    return events
  }
}

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

/** The arguments of a call as the model wrote them. Each becomes something, whatever is wrong with it. */
export function parseArguments(text: string): unknown {
  // Models write nothing at all where a tool takes nothing.
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // As it came: the schema will refuse it with words that the model can act on.
    return text
  }
}

/** Whether nothing can follow: an object that is closed. */
export function isWholeObject(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.startsWith('{') && trimmed.endsWith('}') && typeof parseArguments(trimmed) === 'object'
}

/** The usage that a chat or a response tells; what was read from or written to a cache is part of its input. */
export function readUsage(usage: unknown): ModelUsage {
  if (!isRecord(usage)) return NO_USAGE
  const details = [usage.prompt_tokens_details, usage.input_tokens_details].find(isRecord) ?? {}
  const whole = count(usage.prompt_tokens ?? usage.input_tokens)
  const cacheRead = Math.min(count(details.cached_tokens ?? usage.prompt_cache_hit_tokens), whole)
  const cacheWrite = Math.min(count(details.cache_write_tokens), whole - cacheRead)
  return {
    input: whole - cacheRead - cacheWrite,
    output: count(usage.completion_tokens ?? usage.output_tokens),
    cacheRead,
    cacheWrite,
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}

/** The server told of an error within its stream. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure'
  readonly error: Readonly<Record<string, unknown>>

  constructor(error: Readonly<Record<string, unknown>>) {
    super(typeof error.message === 'string' ? error.message : 'The server told of an error.')
    this.error = error
  }
}
