/** A host that the proxy refused. */
export interface HostRefusal {
  readonly host: string
  readonly reason: 'domain' | 'address'
}

const MAX_REFUSALS = 1000

/** The refusals of the proxy in order, so that those during one command can be selected. */
export class RefusalLog {
  private firstSequence = 0
  private readonly refusals: HostRefusal[] = []

  add(refusal: HostRefusal): void {
    this.refusals.push(refusal)
    if (this.refusals.length > MAX_REFUSALS) {
      this.refusals.shift()
      this.firstSequence++
    }
  }

  /** Returns the current position in the log, for `listSince`. */
  mark(): number {
    return this.firstSequence + this.refusals.length
  }

  /** Returns the refusals after a position, one for each host. */
  listSince(mark: number): readonly HostRefusal[] {
    const refusalsByHost = new Map(
      this.refusals.slice(Math.max(0, mark - this.firstSequence)).map((refusal) => [refusal.host, refusal]),
    )
    return [...refusalsByHost.values()]
  }
}
