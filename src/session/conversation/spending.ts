import { addUsage, costOf, type Model, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'

/** What an agent and all below it have used. What is added to one is added to those above it, too. */
export class Spending {
  readonly #above: Spending | undefined
  #usage: ModelUsage = NO_USAGE
  #costUsd: number | undefined = 0
  #toolUses = 0

  constructor(above?: Spending) {
    this.#above = above
  }

  /** Without what came out of a cache: that is read again with every request. */
  get tokens(): number {
    const { input, output, cacheWrite } = this.#usage
    return input + output + cacheWrite
  }

  get usage(): ModelUsage {
    return this.#usage
  }

  /** Undefined where the prices of a model are not known. */
  get costUsd(): number | undefined {
    return this.#costUsd
  }

  get toolUses(): number {
    return this.#toolUses
  }

  /** The one above all others: what a budget is kept by. */
  get top(): Spending {
    return this.#above?.top ?? this
  }

  addRequest(usage: ModelUsage, { facts }: Pick<Model, 'facts'>): void {
    const costUsd = costOf(usage, facts.prices)
    for (let each: Spending | undefined = this; each !== undefined; each = each.#above) {
      each.#usage = addUsage(each.#usage, usage)
      each.#costUsd = costUsd === undefined || each.#costUsd === undefined ? undefined : each.#costUsd + costUsd
    }
  }

  addToolUse(): void {
    this.#toolUses++
    this.#above?.addToolUse()
  }
}
