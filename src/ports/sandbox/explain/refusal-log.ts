/** A host that the proxy refused. */
export interface HostRefusal {
  readonly host: string
  readonly reason: 'domain' | 'address'
}

const MAX_KEPT = 1000

/** The refusals of the proxy in order, so that each command gets those that happened while it ran. */
export class RefusalLog {
  private first = 0
  private readonly kept: HostRefusal[] = []

  add(refusal: HostRefusal): void {
    this.kept.push(refusal)
    if (this.kept.length > MAX_KEPT) {
      this.kept.shift()
      this.first++
    }
  }

  /** A position in the log, for `since`. */
  mark(): number {
    return this.first + this.kept.length
  }

  since(mark: number): readonly HostRefusal[] {
    const seen = new Map(this.kept.slice(Math.max(0, mark - this.first)).map((refusal) => [refusal.host, refusal]))
    return [...seen.values()]
  }
}
