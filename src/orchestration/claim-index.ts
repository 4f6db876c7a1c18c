import type { Claims } from './claims.js'

/** A call in the schedule. */
export interface Claimant {
  readonly index: number
  claims: Claims
  /** Calls that have to end before this one may start. */
  waitingFor: number
  /** Calls that wait for this one. */
  readonly dependents: Claimant[]
  isDone: boolean
}

interface Holders {
  lastWriter?: Claimant
  readers: Claimant[]
}

/**
 * Finds the earlier calls that a new one conflicts with: one of the two writes what the other reads or writes.
 * Only the last writer of a thing and its readers since are kept: whoever came before, the last writer waits for.
 */
export class ClaimIndex {
  #lastExclusive: Claimant | undefined
  #since: Claimant[] = []
  #sharers: Claimant[] = []
  #writers: Claimant[] = []
  #exact = new Map<string, Holders>()
  /** Under each folder, the calls that hold something below it. */
  #below = new Map<string, Claimant[]>()

  /** Adds a call after all that were added before, and makes it wait for those that it conflicts with. */
  add(call: Claimant): void {
    waitFor(call, this.#lastExclusive)
    if (call.claims.kind === 'listed') this.#addListed(call, call.claims)
    else if (call.claims.isExclusive) this.#addExclusive(call)
    else this.#addShared(call)
  }

  #addExclusive(call: Claimant): void {
    for (const earlier of this.#since) waitFor(call, earlier)
    this.#lastExclusive = call
    this.#since = []
    this.#sharers = []
    this.#writers = []
    this.#exact.clear()
    this.#below.clear()
  }

  #addShared(call: Claimant): void {
    for (const writer of this.#writers) waitFor(call, writer)
    this.#sharers.push(call)
    this.#since.push(call)
  }

  #addListed(call: Claimant, { reads, writes }: Extract<Claims, { kind: 'listed' }>): void {
    if (writes.length > 0) for (const sharer of this.#sharers) waitFor(call, sharer)
    for (const key of reads) this.#waitForHolders(call, key, false)
    for (const key of writes) this.#waitForHolders(call, key, true)
    for (const key of reads) this.#hold(call, key, false)
    for (const key of writes) this.#hold(call, key, true)
    if (writes.length > 0) this.#writers.push(call)
    this.#since.push(call)
  }

  /** Whatever stands above a path or below it counts: who reads a folder reads what is in it. */
  #waitForHolders(call: Claimant, key: string, isWrite: boolean): void {
    this.#waitAt(call, key, isWrite)
    for (const folder of foldersAbove(key)) this.#waitAt(call, folder, isWrite)
    for (const below of this.#below.get(key) ?? []) if (isWrite || writesBelow(below, key)) waitFor(call, below)
  }

  #waitAt(call: Claimant, key: string, isWrite: boolean): void {
    const holders = this.#exact.get(key)
    if (holders === undefined) return
    waitFor(call, holders.lastWriter)
    if (isWrite) for (const reader of holders.readers) waitFor(call, reader)
  }

  #hold(call: Claimant, key: string, isWrite: boolean): void {
    const holders = this.#exact.get(key) ?? { readers: [] }
    if (isWrite) this.#exact.set(key, { lastWriter: call, readers: [] })
    else this.#exact.set(key, { ...holders, readers: [...holders.readers.filter(({ isDone }) => !isDone), call] })
    for (const folder of foldersAbove(key)) {
      const below = this.#below.get(folder)
      if (below === undefined) this.#below.set(folder, [call])
      else below.push(call)
    }
  }
}

function waitFor(call: Claimant, earlier: Claimant | undefined): void {
  if (earlier === undefined || earlier.isDone || earlier === call) return
  if (earlier.dependents.at(-1) === call) return
  earlier.dependents.push(call)
  call.waitingFor++
}

function writesBelow({ claims }: Claimant, folder: string): boolean {
  return claims.kind === 'everything' || claims.writes.some((key) => key.startsWith(`${folder}/`))
}

/** `/a/b` stands below `/a` and the root; a thing that is no path stands below nothing. */
function* foldersAbove(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
    yield path.slice(0, end)
    if (end === 0) return
  }
}
