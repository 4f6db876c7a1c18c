/** A host that the proxy refused. */
export interface HostRefusal {
  readonly host: string
  readonly reason: 'domain' | 'address'
}

const MAX_REFUSALS = 1000

/** The refusals of the proxy in order, so that those of one command can be selected by when it ran. */
export class RefusalLog {
  private first = 0
  private readonly refusals: HostRefusal[] = []

  add(refusal: HostRefusal): void {
    this.refusals.push(refusal)
    if (this.refusals.length > MAX_REFUSALS) {
      this.refusals.shift()
      this.first++
    }
  }

  /** A position in the log, for `since`. */
  mark(): number {
    return this.first + this.refusals.length
  }

  /** The refusals after a mark, one for each host. */
  listSince(mark: number): readonly HostRefusal[] {
    const byHost = new Map(
      this.refusals.slice(Math.max(0, mark - this.first)).map((refusal) => [refusal.host, refusal]),
    )
    return [...byHost.values()]
  }
}
