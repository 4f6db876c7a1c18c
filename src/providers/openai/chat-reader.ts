import { type ModelEvent, type ModelUsage, NO_USAGE, type StopReason } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'
import { REASONING_FIELDS, type ReasoningField } from './message-parts.js'
import { type CallIds, isCompleteObject, OpenCall, readUsage, StreamFailure } from './stream-parts.js'

type OpenTextBlock = { kind: 'text'; text: string } | { kind: 'thinking'; text: string; field: ReasoningField }

/** Converts the chunks of a chat completion to model events. Compatible servers differ, so nothing but valid JSON is assumed. */
export class ChatReader {
  readonly #model: string
  readonly #calls: ChatCalls
  #isStarted = false
  #open: OpenTextBlock | undefined
  #isRefused = false
  #finishReason: string | undefined
  #usage: ModelUsage | undefined
  /** Whether the last usage came in a chunk of its own, which means that the message is complete. */
  #isUsageAlone = false

  constructor({ model, ids }: { readonly model: string; readonly ids: CallIds }) {
    this.#model = model
    this.#calls = new ChatCalls(ids)
  }

  /** Whether the server signalled the end of the message. */
  get isComplete(): boolean {
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

  /** Ends a message whose stream completed normally. */
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

  #readUsage(usage: unknown, isUsageAlone: boolean): void {
    if (!isRecord(usage)) return
    this.#usage = readUsage(usage)
    this.#isUsageAlone = isUsageAlone
  }

  #readChoice(choice: Record<string, unknown>): ModelEvent[] {
    const delta = [choice.delta, choice.message].find(isRecord) ?? {}
    const events = [...this.#readThinking(delta), ...this.#readContent(delta.content)]
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#isRefused = true
      events.push(...this.#append('text', delta.refusal))
    }
    for (const callDelta of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      events.push(...this.#endText(), ...this.#calls.push(callDelta))
    }
    if (typeof choice.finish_reason !== 'string' || choice.finish_reason === '') return events
    this.#finishReason = choice.finish_reason
    return [...events, ...this.#finish()]
  }

  #readThinking(delta: Record<string, unknown>): ModelEvent[] {
    for (const field of REASONING_FIELDS) {
      const text = delta[field]
      // Some servers send the same text in both fields, so only the first one is used.
      if (typeof text === 'string' && text !== '') return this.#append('thinking', text, field)
    }
    return []
  }

  /** Reads content, which is a string, or a list of parts as Mistral's servers send it. */
  #readContent(content: unknown): ModelEvent[] {
    if (typeof content === 'string') return content === '' ? [] : this.#append('text', content)
    if (!Array.isArray(content)) return []
    return content.filter(isRecord).flatMap((part) => {
      if (part.type === 'text') return this.#readContent(part.text)
      const thoughts = part.type === 'thinking' && Array.isArray(part.thinking) ? part.thinking.filter(isRecord) : []
      return thoughts.flatMap(({ text }) =>
        typeof text === 'string' ? this.#append('thinking', text, 'reasoning') : [],
      )
    })
  }

  #append(kind: 'text' | 'thinking', text: string, field: ReasoningField = 'reasoning_content'): ModelEvent[] {
    const events = this.#open?.kind === kind ? [] : this.#endText()
    this.#open ??= kind === 'text' ? { kind, text: '' } : { kind, text: '', field }
    this.#open.text += text
    return [...events, { type: kind === 'text' ? 'text-delta' : 'thinking-delta', text }]
  }

  #endText(): ModelEvent[] {
    const openText = this.#open
    this.#open = undefined
    if (openText === undefined) return []
    const { text } = openText
    if (openText.kind === 'text') return [{ type: 'block-ended', block: { type: 'text', text } }]
    return [{ type: 'block-ended', block: { type: 'thinking', thinking: text, id: openText.field } }]
  }

  #finish(): ModelEvent[] {
    const isCut = this.#finishReason === 'length' || this.#finishReason === 'content_filter'
    return [...this.#endText(), ...this.#calls.finish({ isCut })]
  }

  #stopReason(): StopReason {
    if (this.#isRefused || this.#finishReason === 'content_filter') return 'refusal'
    if (this.#finishReason === 'length') return 'max_tokens'
    // Many servers send 'stop' even if there are calls.
    return this.#calls.completeCallCount > 0 ? 'tool_use' : 'end_turn'
  }
}

/** The usable fields of one delta of a call. */
interface CallDelta {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly json: string
}

interface Slot {
  readonly call: OpenCall
  readonly index: number | undefined
  readonly receivedId: string
}

/** Assembles the calls of a chat message from deltas. Servers number, name and split the deltas in different ways. */
export class ChatCalls {
  readonly #ids: CallIds
  #open: Slot[] = []
  readonly #seenIndexes = new Set<number | undefined>()
  #completeCallCount = 0

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  get completeCallCount(): number {
    return this.#completeCallCount
  }

  push(value: unknown): ModelEvent[] {
    const delta = readDelta(value)
    const slot = this.#findOpenSlot(delta)
    if (slot !== undefined) {
      slot.call.setName(delta.name)
      return slot.call.push(delta.json)
    }
    const { index, id: receivedId, name, json } = delta
    // This is a late delta of a complete call: trailing whitespace, or its name again.
    if (this.#seenIndexes.has(index) && (name === '' || json.trim() === '') && !this.#isOpen(index)) return []
    this.#seenIndexes.add(index)
    const events = this.#endComplete()
    const call = new OpenCall(this.#ids.claim(receivedId), name)
    this.#open.push({ call, index, receivedId })
    return [...events, ...call.push(json)]
  }

  /** Ends the open calls. If the message was cut off, incomplete calls are reported as cut. */
  finish({ isCut }: { readonly isCut: boolean }): ModelEvent[] {
    const slots = this.#open
    this.#open = []
    return slots.flatMap(({ call }) => {
      if (isCut && !call.isComplete) return call.cut()
      this.#completeCallCount += 1
      return call.end()
    })
  }

  /**
   * Ends complete calls before the message ends, so that they can start. An incomplete call delays the calls after it, because
   * calls end in order.
   */
  #endComplete(): ModelEvent[] {
    const events: ModelEvent[] = []
    while (this.#open[0]?.call.isComplete === true) {
      events.push(...this.#open[0].call.end())
      this.#open.shift()
      this.#completeCallCount += 1
    }
    return events
  }

  #isOpen(index: number | undefined): boolean {
    return this.#open.some((slot) => slot.index === index)
  }

  #findOpenSlot(delta: CallDelta): Slot | undefined {
    const slot = this.#findSlot(delta)
    return slot !== undefined && !isNewCall(delta, slot) ? slot : undefined
  }

  #findSlot({ index, id, name }: CallDelta): Slot | undefined {
    if (index !== undefined) return this.#open.findLast((slot) => slot.index === index)
    if (id !== '') return this.#open.findLast((slot) => slot.receivedId === id)
    return name === '' ? this.#open.at(-1) : undefined
  }
}

/** Whether a delta starts a new call. Some servers use index 0 for every call, and some repeat ID and name with every delta. */
function isNewCall({ id, name, json }: CallDelta, { call, receivedId }: Slot): boolean {
  if (name === '') return false
  if (id !== '' && receivedId !== '' && id !== receivedId) return true
  if (call.name !== '' && call.name !== name) return true
  // The delta is checked first, because checking all JSON so far with every delta would be quadratic.
  return isCompleteObject(json) && call.isComplete
}

function readDelta(value: unknown): CallDelta {
  const delta = isRecord(value) ? value : {}
  const call = isRecord(delta.function) ? delta.function : {}
  return {
    index: typeof delta.index === 'number' ? delta.index : undefined,
    id: typeof delta.id === 'string' ? delta.id : '',
    name: typeof call.name === 'string' ? call.name : '',
    json: toJson(call.arguments),
  }
}

function toJson(value: unknown): string {
  if (typeof value === 'string') return value
  // Some servers send the arguments as an object instead of a string.
  return isRecord(value) ? JSON.stringify(value) : ''
}
