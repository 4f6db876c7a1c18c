import { addUsage, costOf, type Model, type ModelUsage, NO_USAGE } from '../../contract/model.js'
import type { ModelError } from '../../contract/model-error.js'
import type { EndReason, QueryEnd, SessionEvent } from '../session-event.js'
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
  #usage = NO_USAGE
  #costUsd: number | undefined = 0
  readonly #toolNames = new Map<string, string>()
  readonly #denials = new Map<string, QueryEnd['denials'][number]>()

  constructor(model: Model, lastUsage: ModelUsage | undefined) {
    this.model = model
    this.lastUsage = lastUsage
  }

  get costUsd(): number | undefined {
    return this.#costUsd
  }

  get text(): string {
    return this.#text
  }

  countAnswer({ answer: { usage }, message }: AnswerRead, messagesCounted: number): void {
    this.turns++
    if (usage !== undefined) {
      this.#usage = addUsage(this.#usage, usage)
      const cost = costOf(usage, this.model.facts.prices)
      this.#costUsd = cost === undefined || this.#costUsd === undefined ? undefined : this.#costUsd + cost
      this.lastUsage = usage
      this.messagesCounted = messagesCounted
    }
    const said = message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) ?? []
    if (said.length > 0) this.#text = said.join('\n')
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
      usage: this.#usage,
      costUsd: this.#costUsd,
      denials: [...this.#denials.values()],
      ...(this.lastUsage !== undefined && { lastUsage: this.lastUsage }),
      ...told,
    }
  }
}
