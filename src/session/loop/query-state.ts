import type { Message } from '../../contract/messages.js'
import type { Model, ModelUsage } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { Spending } from '../agents/spending.js'
import type { EndReason, QueryEnd, SessionEvent } from '../session-event.js'
import type { CountedMessages } from './counted-messages.js'
import type { QueryOptions } from './query-options.js'
import type { AnswerRead } from './read-answer.js'

/** What a query has come to so far. */
export class QueryState {
  /** Who answers now. */
  model: Model
  turns = 0
  /** Undefined before the first answer, and after a rewrite. */
  counted: CountedMessages | undefined
  #text = ''
  /** The next answer goes on in the middle of what was said. */
  #isUnfinished = false
  readonly #spending: Spending
  readonly #toolNames = new Map<string, string>()
  readonly #denials = new Map<string, QueryEnd['denials'][number]>()

  constructor({ model, counted, spending }: Pick<QueryOptions, 'model' | 'counted' | 'spending'>) {
    this.model = model
    this.counted = counted
    this.#spending = new Spending(spending)
  }

  get text(): string {
    return this.#text
  }

  countAnswer(
    { answer: { usage, stopReason, cutCalls }, message, calls }: AnswerRead,
    messages: readonly Message[],
  ): void {
    this.turns++
    if (usage !== undefined) {
      this.addUsage(usage)
      // The results of its calls stand behind it already, and nobody has counted those.
      const place = message === undefined ? -1 : messages.lastIndexOf(message)
      this.counted = { usage, messages: place === -1 ? messages.length : place + 1 }
    }
    const said = message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? []
    if (said.length > 0) this.#text = (this.#isUnfinished ? this.#text : '') + said.join('\n')
    const isCut = stopReason === 'max_tokens' && calls === undefined && cutCalls.length === 0
    this.#isUnfinished = isCut && (said.length > 0 || this.#isUnfinished)
  }

  addUsage(usage: ModelUsage): void {
    this.#spending.addRequest(usage, this.model)
  }

  /** Keeps what the end has to tell of. */
  watch(event: SessionEvent): void {
    if (event.type === 'messages-rewritten') this.counted = undefined
    if (event.type !== 'tool-event' || event.event.type === 'mode-entered') return
    const { event: told } = event
    const { toolUseId } = told
    if (told.type === 'call-queued') this.#toolNames.set(toolUseId, told.toolName)
    if (told.type !== 'permission-decided' || told.behavior !== 'deny') return
    const toolName = this.#toolNames.get(toolUseId) ?? ''
    this.#denials.set(toolUseId, { toolUseId, toolName, reason: told.reason.text })
  }

  end(reason: EndReason, told: { readonly message?: string; readonly error?: ModelError } = {}): QueryEnd {
    return {
      reason,
      text: this.#text,
      turns: this.turns,
      usage: this.#spending.usage,
      costUsd: this.#spending.costUsd,
      // In the order of the calls: which of several is refused first is a matter of chance.
      denials: [...this.#toolNames.keys()].flatMap((toolUseId) => this.#denials.get(toolUseId) ?? []),
      ...(this.counted !== undefined && { counted: this.counted }),
      ...told,
    }
  }
}
