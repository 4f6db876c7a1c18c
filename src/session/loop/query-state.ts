import type { Model, ModelUsage } from '../../contract/model.js'
import type { ModelError } from '../../contract/model-error.js'
import { Spending } from '../agents/spending.js'
import type { EndReason, QueryEnd, SessionEvent } from '../session-event.js'
import type { QueryOptions } from './query-options.js'
import type { AnswerRead } from './read-answer.js'

/** What a query has come to so far. */
export class QueryState {
  /** Who answers now. */
  model: Model
  turns = 0
  /** Of the last answer, and how many messages it knew; undefined after a rewrite. */
  lastUsage: ModelUsage | undefined
  messagesCounted = 0
  #text = ''
  readonly #spending: Spending
  readonly #toolNames = new Map<string, string>()
  readonly #denials = new Map<string, QueryEnd['denials'][number]>()

  constructor({ model, lastUsage, spending }: Pick<QueryOptions, 'model' | 'lastUsage' | 'spending'>) {
    this.model = model
    this.lastUsage = lastUsage
    this.#spending = new Spending(spending)
  }

  get text(): string {
    return this.#text
  }

  countAnswer({ answer: { usage }, message }: AnswerRead, messagesCounted: number): void {
    this.turns++
    if (usage !== undefined) {
      this.addUsage(usage)
      this.lastUsage = usage
      this.messagesCounted = messagesCounted
    }
    const said = message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? []
    if (said.length > 0) this.#text = said.join('\n')
  }

  addUsage(usage: ModelUsage): void {
    this.#spending.addRequest(usage, this.model)
  }

  /** Keeps what the end has to tell of. */
  watch(event: SessionEvent): void {
    if (event.type === 'messages-rewritten') this.lastUsage = undefined
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
      ...(this.lastUsage !== undefined && { lastUsage: this.lastUsage }),
      ...told,
    }
  }
}
