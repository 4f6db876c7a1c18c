import { addUsage, costOf, type Model, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'

/** The usage and cost of one model. */
export interface ModelSpending {
  readonly usage: ModelUsage
  /** Undefined if its prices are unknown. */
  readonly costUsd: number | undefined
  readonly facts: Model['facts']
}

/** The usage and cost of an agent and all its sub-agents. Additions also count for its parents. */
export class Spending {
  readonly #parent: Spending | undefined
  #usage: ModelUsage = NO_USAGE
  #costUsd: number | undefined = 0
  #toolUseCount = 0
  readonly #models = new Map<string, ModelSpending>()

  constructor(parent?: Spending) {
    this.#parent = parent
  }

  /** Input, output and cache writes, but not cache reads, because every request counts those again. */
  get tokens(): number {
    const { input, output, cacheWrite } = this.#usage
    return input + output + cacheWrite
  }

  get usage(): ModelUsage {
    return this.#usage
  }

  /** Undefined if the prices of a model are unknown. */
  get costUsd(): number | undefined {
    return this.#costUsd
  }

  /** The usage and cost of each model by its id. */
  get models(): ReadonlyMap<string, ModelSpending> {
    return this.#models
  }

  get toolUses(): number {
    return this.#toolUseCount
  }

  /** The spending of the main conversation, which the budget applies to. */
  get root(): Spending {
    return this.#parent?.root ?? this
  }

  addRequest(usage: ModelUsage, model: Pick<Model, 'id' | 'facts'>): void {
    const costUsd = costOf(usage, model.facts.prices)
    for (let spending: Spending | undefined = this; spending !== undefined; spending = spending.#parent) {
      spending.#usage = addUsage(spending.#usage, usage)
      spending.#costUsd =
        costUsd === undefined || spending.#costUsd === undefined ? undefined : spending.#costUsd + costUsd
      const earlier = spending.#models.get(model.id)
      spending.#models.set(model.id, {
        usage: addUsage(earlier?.usage ?? NO_USAGE, usage),
        costUsd: costUsd === undefined ? undefined : (earlier?.costUsd ?? 0) + costUsd,
        facts: model.facts,
      })
    }
  }

  addToolUse(): void {
    this.#toolUseCount++
    this.#parent?.addToolUse()
  }
}
