import { type ModelEvent, type ModelUsage, NO_USAGE, type StopReason } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'
import { REASONING_FIELDS, type ReasoningField } from './message-parts.js'
import { type CallIds, isWholeObject, OpenCall, readUsage, StreamFailure } from './stream-parts.js'

type OpenText = { kind: 'text'; text: string } | { kind: 'thinking'; text: string; field: ReasoningField }

/** Reads the chunks of a chat, of which nothing is certain but that they are JSON. */
export class ChatReader {
  readonly #model: string
  readonly #calls: ChatCalls
  #isStarted = false
  #open: OpenText | undefined
  #isRefused = false
  #finishReason: string | undefined
  #usage: ModelUsage | undefined
  /** A chunk with nothing but the usage ends the stream. */
  #isUsageAlone = false

  constructor({ model, ids }: { readonly model: string; readonly ids: CallIds }) {
    this.#model = model
    this.#calls = new ChatCalls(ids)
  }

  /** The server said that this is all, in one way or another. */
  get isWhole(): boolean {
    return this.#finishReason !== undefined || this.#isUsageAlone
  }

  push(chunk: unknown): ModelEvent[] {
    if (!isRecord(chunk)) return []
    if (chunk.object === 'error') throw new StreamFailure(chunk)
    const events = this.#start(chunk)
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : []
    this.#readUsage(chunk.usage ?? (isRecord(choice) ? choice.usage : undefined), choice === undefined)
    return isRecord(choice) ? [...events, ...this.#readChoice(choice)] : events
  }

  /** The stream ended as it should. */
  end(): ModelEvent[] {
    const usage = this.#usage ?? NO_USAGE
    return [...this.#finish(), { type: 'message-ended', stopReason: this.#stopReason(), usage }]
  }

  #start(chunk: Record<string, unknown>): ModelEvent[] {
    if (this.#isStarted) return []
    this.#isStarted = true
    const id = typeof chunk.id === 'string' && chunk.id !== '' ? { id: chunk.id } : {}
    const model = typeof chunk.model === 'string' && chunk.model !== '' ? chunk.model : this.#model
    return [{ type: 'message-started', ...id, model }]
  }

  #readUsage(usage: unknown, isAlone: boolean): void {
    if (!isRecord(usage)) return
    this.#usage = readUsage(usage)
    this.#isUsageAlone = isAlone
  }

  #readChoice(choice: Record<string, unknown>): ModelEvent[] {
    const delta = [choice.delta, choice.message].find(isRecord) ?? {}
    const events = [...this.#readThinking(delta), ...this.#readContent(delta.content)]
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#isRefused = true
      events.push(...this.#say('text', delta.refusal))
    }
    for (const piece of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      events.push(...this.#endText(), ...this.#calls.push(piece))
    }
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return events
    this.#finishReason = choice.finish_reason
    return [...events, ...this.#finish()]
  }

  #readThinking(delta: Record<string, unknown>): ModelEvent[] {
    for (const field of REASONING_FIELDS) {
      const text = delta[field]
      // Some servers say the same in both fields.
      if (typeof text === 'string' && text !== '') return this.#say('thinking', text, field)
    }
    return []
  }

  /** A text, or parts as Mistral's servers send them. */
  #readContent(content: unknown): ModelEvent[] {
    if (typeof content === 'string') return content === '' ? [] : this.#say('text', content)
    if (!Array.isArray(content)) return []
    return content.filter(isRecord).flatMap((part) => {
      if (part.type === 'text') return this.#readContent(part.text)
      const thoughts = part.type === 'thinking' && Array.isArray(part.thinking) ? part.thinking.filter(isRecord) : []
      return thoughts.flatMap(({ text }) => (typeof text === 'string' ? this.#say('thinking', text, 'reasoning') : []))
    })
  }

  #say(kind: 'text' | 'thinking', text: string, field: ReasoningField = 'reasoning_content'): ModelEvent[] {
    const events = this.#open?.kind === kind ? [] : this.#endText()
    this.#open ??= kind === 'text' ? { kind, text: '' } : { kind, text: '', field }
    this.#open.text += text
    return [...events, { type: kind === 'text' ? 'text-delta' : 'thinking-delta', text }]
  }

  #endText(): ModelEvent[] {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return []
    const { text } = open
    if (open.kind === 'text') return [{ type: 'block-ended', block: { type: 'text', text } }]
    return [{ type: 'block-ended', block: { type: 'thinking', thinking: text, id: open.field } }]
  }

  #finish(): ModelEvent[] {
    const isCut = this.#finishReason === 'length' || this.#finishReason === 'content_filter'
    return [...this.#endText(), ...this.#calls.finish({ isCut })]
  }

  #stopReason(): StopReason {
    if (this.#isRefused || this.#finishReason === 'content_filter') return 'refusal'
    if (this.#finishReason === 'length') return 'max_tokens'
    // Many servers say 'stop' where there are calls.
    return this.#calls.ended > 0 ? 'tool_use' : 'end_turn'
  }
}

/** What of a piece of a call can be used. */
interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly json: string
}

interface Slot {
  readonly call: OpenCall
  readonly index: number | undefined
  readonly givenId: string
}

/** The calls of a message in a chat, out of pieces that servers number, name and cut up in many ways. */
export class ChatCalls {
  readonly #ids: CallIds
  #open: Slot[] = []
  readonly #seen = new Set<number | undefined>()
  #ended = 0

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  /** How many calls there were that are a part of the message. */
  get ended(): number {
    return this.#ended
  }

  push(value: unknown): ModelEvent[] {
    const piece = pieceOf(value)
    const known = this.#slotOf(piece)
    if (known !== undefined) {
      known.call.named(piece.name)
      return known.call.push(piece.json)
    }
    const { index, id: givenId, name, json } = piece
    // A piece of what was whole already: an end of line, or the name once more.
    if (this.#seen.has(index) && (name === '' || json.trim() === '') && !this.#isOpen(index)) return []
    this.#seen.add(index)
    const events = this.#endWhole()
    const call = new OpenCall(this.#ids.claim(givenId), name)
    this.#open.push({ call, index, givenId })
    return [...events, ...call.push(json)]
  }

  /** The message is over. Where it was cut, a call that is not whole never was. */
  finish({ isCut }: { readonly isCut: boolean }): ModelEvent[] {
    const slots = this.#open
    this.#open = []
    return slots.flatMap(({ call }) => {
      if (isCut && !call.isWhole) return call.cut()
      this.#ended += 1
      return call.end()
    })
  }

  /** Calls can start while others still come. In order: one that is not whole holds back those after it. */
  #endWhole(): ModelEvent[] {
    const events: ModelEvent[] = []
    while (this.#open[0]?.call.isWhole === true) {
      events.push(...this.#open[0].call.end())
      this.#open.shift()
      this.#ended += 1
    }
    return events
  }

  #isOpen(index: number | undefined): boolean {
    return this.#open.some((slot) => slot.index === index)
  }

  #slotOf(piece: CallPiece): Slot | undefined {
    const slot = this.#numbered(piece)
    return slot !== undefined && !isAnother(piece, slot) ? slot : undefined
  }

  #numbered({ index, id, name }: CallPiece): Slot | undefined {
    if (index !== undefined) return this.#open.findLast((slot) => slot.index === index)
    if (id !== '') return this.#open.findLast((slot) => slot.givenId === id)
    return name === '' ? this.#open.at(-1) : undefined
  }
}

/** Some servers give every call the number 0, and some repeat id and name with every piece. */
function isAnother({ id, name, json }: CallPiece, { call, givenId }: Slot): boolean {
  if (name === '') return false
  if (id !== '' && givenId !== '' && id !== givenId) return true
  if (call.name !== '' && call.name !== name) return true
  // The piece first: to look at all that came so far with every piece would take ever longer.
  return isWholeObject(json) && call.isWhole
}

function pieceOf(value: unknown): CallPiece {
  const piece = isRecord(value) ? value : {}
  const made = isRecord(piece.function) ? piece.function : {}
  return {
    index: typeof piece.index === 'number' ? piece.index : undefined,
    id: typeof piece.id === 'string' ? piece.id : '',
    name: typeof made.name === 'string' ? made.name : '',
    json: argumentsOf(made.arguments),
  }
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  // A server that has read the JSON already.
  return isRecord(value) ? JSON.stringify(value) : ''
}
