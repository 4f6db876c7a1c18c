import { addUsage, costOf, type Model, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'

/** The usage and cost of an agent and all its sub-agents. Additions also count for its parents. */
export class Spending {
  readonly #parent: Spending | undefined
  #usage: ModelUsage = NO_USAGE
  #costUsd: number | undefined = 0
  #toolUseCount = 0

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

  get toolUses(): number {
    return this.#toolUseCount
  }

  /** The spending of the main conversation, which the budget applies to. */
  get root(): Spending {
    return this.#parent?.root ?? this
  }

  addRequest(usage: ModelUsage, { facts }: Pick<Model, 'facts'>): void {
    const costUsd = costOf(usage, facts.prices)
    for (let spending: Spending | undefined = this; spending !== undefined; spending = spending.#parent) {
      spending.#usage = addUsage(spending.#usage, usage)
      spending.#costUsd =
        costUsd === undefined || spending.#costUsd === undefined ? undefined : spending.#costUsd + costUsd
    }
  }

  addToolUse(): void {
    this.#toolUseCount++
    this.#parent?.addToolUse()
  }
}
