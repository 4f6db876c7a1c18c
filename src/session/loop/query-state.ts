import type { Message, ToolUseBlock } from '../../contract/messages.js'
import type { Model, ModelUsage } from '../../contract/model/model.js'
import type { CountedMessages, EmitEvent, EndReason, QueryEnd, SessionEvent } from '../conversation/session-event.js'
import { Spending } from '../conversation/spending.js'
import type { AnswerOutcome } from './answer.js'
import type { QueryOptions } from './query-options.js'

type Denial = QueryEnd['denials'][number]

/** A query in progress: its options, its state, and where its events go. */
export interface ActiveQuery extends Omit<QueryOptions, 'onEvent' | 'model' | 'counted'> {
  readonly state: QueryState
  readonly emit: EmitEvent
}

/** The progress of a query: its turns, its text, its usage and its denied calls. */
export class QueryState {
  /** The model of the next request: the main model, or the fallback model after a change. */
  model: Model
  turns = 0
  /** Undefined before the first answer, and after a rewrite. */
  counted: CountedMessages | undefined
  /** How often the conversation had been rewritten before the last request. */
  #rewriteCount: number | undefined
  #text = ''
  /** Whether the next answer continues the text where it was cut off. */
  #isUnfinished = false
  readonly #spending: Spending
  /** The reasons of the denials in the current turn, by call id. */
  readonly #denialReasons = new Map<string, string>()
  readonly #denials: Denial[] = []

  constructor({ model, counted, spending }: Pick<QueryOptions, 'model' | 'counted' | 'spending'>) {
    this.model = model
    this.counted = counted
    this.#spending = new Spending(spending)
  }

  get text(): string {
    return this.#text
  }

  countAnswer(
    { answer: { calls: toolUses, usage, stopReason, cutCalls }, message, calls }: AnswerOutcome,
    messages: readonly Message[],
  ): void {
    this.turns++
    this.#addDenials(toolUses)
    if (usage !== undefined) {
      this.addUsage(usage)
      // The usage covers the answer, but not the results of its calls, which already follow it in the conversation.
      const index = message === undefined ? -1 : messages.lastIndexOf(message)
      this.counted = { usage, messages: index === -1 ? messages.length : index + 1 }
    }
    const texts = message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? []
    if (texts.length > 0) this.#text = (this.#isUnfinished ? this.#text : '') + texts.join('\n')
    const isCut = stopReason === 'max_tokens' && calls === undefined && cutCalls.length === 0
    this.#isUnfinished = isCut && (texts.length > 0 || this.#isUnfinished)
  }

  /** Forgets the count of tokens if a call has rewritten the conversation. Returns whether one has. */
  noticeRewrites(count: number): boolean {
    const isRewritten = this.#rewriteCount !== undefined && count > this.#rewriteCount
    this.#rewriteCount = count
    if (isRewritten) this.counted = undefined
    return isRewritten
  }

  addUsage(usage: ModelUsage): void {
    this.#spending.addRequest(usage, this.model)
  }

  /** Collects the denied calls for the result of the query. */
  watch(event: SessionEvent): void {
    if (event.type !== 'tool-event') return
    const toolEvent = event.event
    if (toolEvent.type === 'permission-decided' && toolEvent.behavior === 'deny')
      this.#denialReasons.set(toolEvent.toolUseId, toolEvent.reason.text)
  }

  /** Adds the denied calls of an answer in call order, because the order of the decisions depends on timing. */
  #addDenials(toolUses: readonly ToolUseBlock[]): void {
    if (this.#denialReasons.size === 0) return
    for (const { id, name } of toolUses) {
      const reason = this.#denialReasons.get(id)
      if (reason !== undefined) this.#denials.push({ toolUseId: id, toolName: name, reason })
    }
    this.#denialReasons.clear()
  }

  end(reason: EndReason, details: Pick<QueryEnd, 'message' | 'error'> = {}): QueryEnd {
    return {
      reason,
      text: this.#text,
      turns: this.turns,
      usage: this.#spending.usage,
      costUsd: this.#spending.costUsd,
      denials: this.#denials,
      ...(this.counted !== undefined && { counted: this.counted }),
      ...details,
    }
  }
}
