import { type ModelEvent, type ModelUsage, NO_USAGE, type StopReason } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'
import { type CallIds, OpenCall, readUsage, StreamFailure } from './stream-parts.js'

type Fields = Readonly<Record<string, unknown>>
type OpenItem =
  | { readonly kind: 'text'; text: string }
  | { readonly kind: 'thinking'; readonly id: string | undefined; text: string }
  | { readonly kind: 'call'; readonly call: OpenCall }

const TEXT_EVENTS = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
])

/** Converts the events of the Responses API to model events. */
export class ResponseReader {
  readonly #model: string
  readonly #ids: CallIds
  readonly #openItems = new Map<unknown, OpenItem>()
  #isStarted = false
  #itemCount = 0
  #callCount = 0
  #isRefused = false
  #completion: { readonly incompleteReason: unknown; readonly usage: ModelUsage } | undefined

  constructor({ model, ids }: { readonly model: string; readonly ids: CallIds }) {
    this.#model = model
    this.#ids = ids
  }

  /** Whether the server signalled the end of the response. */
  get isComplete(): boolean {
    return this.#completion !== undefined
  }

  push(event: unknown): ModelEvent[] {
    if (!isRecord(event) || typeof event.type !== 'string') return []
    if (event.type === 'error') throw new StreamFailure(event)
    const response = isRecord(event.response) ? event.response : {}
    if (event.type === 'response.failed' || response.status === 'failed')
      throw new StreamFailure(isRecord(response.error) ? response.error : {})
    return [...this.#start(response), ...this.#read(event.type, event, response)]
  }

  /** Ends a message whose stream completed normally. */
  end(): ModelEvent[] {
    return [{ type: 'message-ended', stopReason: this.#stopReason(), usage: this.#completion?.usage ?? NO_USAGE }]
  }

  #start({ id, model }: Fields): ModelEvent[] {
    if (this.#isStarted) return []
    this.#isStarted = true
    const idField = typeof id === 'string' ? { id } : {}
    return [{ type: 'message-started', ...idField, model: typeof model === 'string' ? model : this.#model }]
  }

  #read(type: string, event: Fields, response: Fields): ModelEvent[] {
    if (TEXT_EVENTS.has(type)) {
      if (type === 'response.refusal.delta') this.#isRefused = true
      return this.#append(this.#openItems.get(getKey(event)), event.delta)
    }
    switch (type) {
      case 'response.output_item.added':
        return this.#begin(getKey(event), asFields(event.item))
      case 'response.output_item.done':
        return this.#completeItem(getKey(event), asFields(event.item))
      case 'response.reasoning_summary_part.added':
        return this.#separateParagraphs(getKey(event))
      case 'response.function_call_arguments.delta':
        return this.#appendArguments(getKey(event), event.delta)
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(type, response)
      default:
        return []
    }
  }

  #begin(key: unknown, item: Fields): ModelEvent[] {
    this.#itemCount += 1
    if (item.type === 'message') this.#openItems.set(key, { kind: 'text', text: '' })
    if (item.type === 'reasoning') {
      this.#openItems.set(key, { kind: 'thinking', id: typeof item.id === 'string' ? item.id : undefined, text: '' })
    }
    if (item.type !== 'function_call') return []
    const call = new OpenCall(this.#ids.claim(item.call_id), typeof item.name === 'string' ? item.name : '')
    this.#openItems.set(key, { kind: 'call', call })
    return call.push('')
  }

  #append(item: OpenItem | undefined, text: unknown): ModelEvent[] {
    if (item === undefined || item.kind === 'call' || typeof text !== 'string' || text === '') return []
    item.text += text
    return [{ type: item.kind === 'text' ? 'text-delta' : 'thinking-delta', text }]
  }

  /** Starts a new paragraph for each part of a reasoning summary. */
  #separateParagraphs(key: unknown): ModelEvent[] {
    const item = this.#openItems.get(key)
    return item?.kind === 'thinking' && item.text !== '' ? this.#append(item, '\n\n') : []
  }

  #appendArguments(key: unknown, json: unknown): ModelEvent[] {
    const item = this.#openItems.get(key)
    return item?.kind === 'call' && typeof json === 'string' ? item.call.push(json) : []
  }

  #completeItem(key: unknown, fields: Fields): ModelEvent[] {
    const events = this.#openItems.has(key) ? [] : this.#begin(key, fields)
    const item = this.#openItems.get(key)
    if (item === undefined) return events
    if (item.kind === 'call') {
      events.push(...completeArguments(item.call, fields))
      // Incomplete JSON may be cut off or just invalid. Not every server says which before the response ends.
      if (fields.status !== 'incomplete' && !item.call.isComplete) return events
    }
    this.#openItems.delete(key)
    return [...events, ...this.#endItem(item, fields)]
  }

  #endItem(item: OpenItem, fields: Fields): ModelEvent[] {
    if (item.kind === 'call') {
      if (fields.status === 'incomplete') return item.call.cut()
      this.#callCount += 1
      return item.call.end()
    }
    if (hasRefusal(fields)) this.#isRefused = true
    // A server that sends no deltas sends the whole text now.
    const events = item.text === '' ? this.#append(item, getWholeText(fields)) : []
    if (item.kind === 'text') {
      if (item.text !== '') events.push({ type: 'block-ended', block: { type: 'text', text: item.text } })
      return events
    }
    const signature = typeof fields.encrypted_content === 'string' ? { signature: fields.encrypted_content } : {}
    if (item.text === '' && signature.signature === undefined) return events
    const idField = item.id === undefined ? {} : { id: item.id }
    const block = { type: 'thinking', thinking: item.text, ...signature, ...idField } as const
    return [...events, { type: 'block-ended', block }]
  }

  #finish(type: string, response: Fields): ModelEvent[] {
    const isCut = type === 'response.incomplete' || response.status === 'incomplete'
    this.#completion = {
      incompleteReason: isCut ? (asFields(response.incomplete_details).reason ?? 'unknown') : undefined,
      usage: readUsage(response.usage),
    }
    const events: ModelEvent[] = []
    // A server that sends no item events includes all items here.
    const items = this.#itemCount === 0 && Array.isArray(response.output) ? response.output : []
    for (const [index, item] of items.entries()) events.push(...this.#completeItem(index, asFields(item)))
    for (const [key, item] of this.#openItems) {
      const status = isCut && item.kind === 'call' && !item.call.isComplete ? 'incomplete' : 'completed'
      this.#openItems.delete(key)
      events.push(...this.#endItem(item, { status }))
    }
    return events
  }

  #stopReason(): StopReason {
    const incompleteReason = this.#completion?.incompleteReason
    if (this.#isRefused || incompleteReason === 'content_filter') return 'refusal'
    if (incompleteReason !== undefined) return 'max_tokens'
    return this.#callCount > 0 ? 'tool_use' : 'end_turn'
  }
}

/** Adds the arguments in the finished item, if the server sent no deltas. */
function completeArguments(call: OpenCall, { arguments: json }: Fields): ModelEvent[] {
  return call.json === '' && typeof json === 'string' ? call.push(json) : []
}

function asFields(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function getKey({ output_index, item_id }: Fields): unknown {
  return output_index ?? item_id
}

function listParts({ content, summary }: Fields): Fields[] {
  return [summary, content].flatMap((parts) => (Array.isArray(parts) ? parts.filter(isRecord) : []))
}

function hasRefusal(fields: Fields): boolean {
  return listParts(fields).some(({ type }) => type === 'refusal')
}

function getWholeText(fields: Fields): string {
  const texts = listParts(fields).map(({ text, refusal }) => [text, refusal].find((part) => typeof part === 'string'))
  return texts.filter((text) => text !== undefined).join(fields.type === 'reasoning' ? '\n\n' : '')
}
