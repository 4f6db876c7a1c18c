/** A host that the proxy did not let a command reach. */
export interface HostRefusal {
  readonly host: string
  readonly reason: 'domain' | 'address'
}

const MAX_KEPT = 1000

/** What the proxy refused, in order, so that each command can be told what was refused while it ran. */
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

  /** A place in the log, to be given to `since`. */
  mark(): number {
    return this.first + this.kept.length
  }

  since(mark: number): readonly HostRefusal[] {
    const seen = new Map(this.kept.slice(Math.max(0, mark - this.first)).map((refusal) => [refusal.host, refusal]))
    return [...seen.values()]
  }
}
