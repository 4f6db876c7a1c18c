import { randomBytes } from 'node:crypto'
import { type ModelEvent, type ModelMessage, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'

/** A call whose arguments are still being received. Each method returns the resulting events. */
export class OpenCall {
  readonly id: string
  #name: string
  #json = ''
  /** Arguments that were not emitted yet, because the name is still missing. */
  #pending = ''
  #hasBegun = false

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

  get isComplete(): boolean {
    return isCompleteObject(this.#json)
  }

  setName(name: string): void {
    if (this.#name === '') this.#name = name
  }

  push(json: string): ModelEvent[] {
    this.#json += json
    this.#pending += json
    return this.#name === '' ? [] : this.#flush()
  }

  end(): ModelEvent[] {
    const { id, name } = this
    const block = { type: 'tool_use', id, name, input: parseArguments(this.#json) } as const
    return [...this.#flush(), { type: 'block-ended', block }]
  }

  cut(): ModelEvent[] {
    return this.#hasBegun ? [{ type: 'call-cut', id: this.id, name: this.#name }] : []
  }

  #flush(): ModelEvent[] {
    const { id, name } = this
    const events: ModelEvent[] = this.#hasBegun ? [] : [{ type: 'call-begun', id, name }]
    if (this.#pending !== '') events.push({ type: 'input-delta', id, json: this.#pending })
    this.#hasBegun = true
    this.#pending = ''
    return events
  }
}

const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** The length that Mistral's models require; other models accept any length. */
const ID_LENGTH = 9

/** Makes call ids unique in the conversation: some servers omit ids, and some restart the numbering with each message. */
export class CallIds {
  readonly #usedIds = new Set<string>()

  constructor(messages: readonly ModelMessage[]) {
    for (const message of messages) {
      if (message.type !== 'assistant') continue
      for (const block of message.content) if (block.type === 'tool_use') this.#usedIds.add(block.id)
    }
  }

  /** Returns the id that the server sent if no other call has it, otherwise a new one. */
  claim(receivedId: unknown): string {
    let id = typeof receivedId === 'string' && receivedId !== '' ? receivedId : createRandomId()
    while (this.#usedIds.has(id)) id = createRandomId()
    this.#usedIds.add(id)
    return id
  }
}

function createRandomId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]).join('')
}

/** Parses the arguments of a call. Invalid JSON is returned as a string. */
export function parseArguments(text: string): unknown {
  // Models send an empty string for tools without parameters.
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // Schema validation rejects the string with a message that the model can act on.
    return text
  }
}

/** Whether the text is a complete JSON object, so that nothing can follow. */
export function isCompleteObject(text: string): boolean {
  const trimmedText = text.trim()
  return trimmedText.startsWith('{') && trimmedText.endsWith('}') && typeof parseArguments(trimmedText) === 'object'
}

/** Reads the usage of a chat completion or response. The input count of the API includes cache reads and writes, which are subtracted. */
export function readUsage(usage: unknown): ModelUsage {
  if (!isRecord(usage)) return NO_USAGE
  const details = [usage.prompt_tokens_details, usage.input_tokens_details].find(isRecord) ?? {}
  const total = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const cacheRead = Math.min(toCount(details.cached_tokens ?? usage.prompt_cache_hit_tokens), total)
  const cacheWrite = Math.min(toCount(details.cache_write_tokens), total - cacheRead)
  return {
    input: total - cacheRead - cacheWrite,
    output: toCount(usage.completion_tokens ?? usage.output_tokens),
    cacheRead,
    cacheWrite,
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}

/** The server sent an error inside the stream. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure'
  readonly error: Readonly<Record<string, unknown>>

  constructor(error: Readonly<Record<string, unknown>>) {
    super(typeof error.message === 'string' ? error.message : 'The server sent an error without a message.')
    this.error = error
  }
}
