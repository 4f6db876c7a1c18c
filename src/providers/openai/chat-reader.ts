import { type ModelEvent, type ModelUsage, NO_USAGE, type StopReason } from '../../contract/model.js'
import { isRecord } from '../../shared/is-record.js'
import type { CallIds } from './call-ids.js'
import { ChatCalls } from './chat-calls.js'
import { readUsage } from './read-usage.js'
import { REASONING_FIELDS, type ReasoningField } from './reasoning-field.js'
import { StreamFailure } from './stream-failure.js'

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
