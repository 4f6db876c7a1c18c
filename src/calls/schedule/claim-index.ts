import type { Claims } from './claims.js'
import { foldersAbove } from './folders-above.js'
import { Crowd, type Waiter } from './waiter.js'

/** Who holds one thing, or something below it. */
interface Holders {
  lastWriter?: Waiter
  readers?: Crowd
  readersBelow?: Crowd
  writersBelow?: Crowd
}

/**
 * Finds the earlier calls that a new one conflicts with: one of the two writes what the other reads or writes.
 * Only the last writer of a thing and its readers since are kept: whoever came before, the last writer waits for.
 */
export class ClaimIndex {
  #lastExclusive: Waiter | undefined
  #everybody = new Crowd()
  #sharers = new Crowd()
  #writers = new Crowd()
  #holders = new Map<string, Holders>()

  /** Adds a call after all that were added before, and makes it wait for those that it conflicts with. */
  add(call: Waiter, claims: Claims): void {
    call.waitFor(this.#lastExclusive)
    if (claims.kind === 'listed') this.#addListed(call, claims)
    else if (claims.isExclusive) this.#addExclusive(call)
    else this.#addShared(call)
  }

  #addExclusive(call: Waiter): void {
    this.#everybody.holdBack(call)
    this.#lastExclusive = call
    this.#everybody = new Crowd()
    this.#sharers = new Crowd()
    this.#writers = new Crowd()
    this.#holders = new Map()
  }

  #addShared(call: Waiter): void {
    this.#writers.holdBack(call)
    this.#sharers.add(call)
    this.#everybody.add(call)
  }

  #addListed(call: Waiter, { reads, writes }: Extract<Claims, { kind: 'listed' }>): void {
    if (writes.length > 0) this.#sharers.holdBack(call)
    const read = reads.map(placeOf)
    const written = writes.map(placeOf)
    // A call never waits for itself: all that it waits for is found before it holds anything.
    for (const place of read) this.#waitToRead(call, place)
    for (const place of written) this.#waitToWrite(call, place)
    for (const place of read) this.#holdToRead(call, place)
    for (const place of written) this.#holdToWrite(call, place)
    if (writes.length > 0) this.#writers.add(call)
    this.#everybody.add(call)
  }

  /** Whatever stands above a path or below it counts: who reads a folder reads what is in it. */
  #waitToRead(call: Waiter, { key, folders }: KeyPlace): void {
    const holders = this.#holders.get(key)
    call.waitFor(holders?.lastWriter)
    holders?.writersBelow?.holdBack(call)
    for (const folder of folders) call.waitFor(this.#holders.get(folder)?.lastWriter)
  }

  #waitToWrite(call: Waiter, { key, folders }: KeyPlace): void {
    const holders = this.#holders.get(key)
    call.waitFor(holders?.lastWriter)
    holders?.readers?.holdBack(call)
    holders?.writersBelow?.holdBack(call)
    holders?.readersBelow?.holdBack(call)
    for (const folder of folders) {
      const above = this.#holders.get(folder)
      call.waitFor(above?.lastWriter)
      above?.readers?.holdBack(call)
    }
  }

  #holdToRead(call: Waiter, { key, folders }: KeyPlace): void {
    const holders = this.#holdersOf(key)
    holders.readers ??= new Crowd()
    holders.readers.add(call)
    for (const folder of folders) {
      const above = this.#holdersOf(folder)
      above.readersBelow ??= new Crowd()
      above.readersBelow.add(call)
    }
  }

  #holdToWrite(call: Waiter, { key, folders }: KeyPlace): void {
    this.#holders.set(key, { lastWriter: call })
    for (const folder of folders) {
      const above = this.#holdersOf(folder)
      above.writersBelow ??= new Crowd()
      above.writersBelow.add(call)
    }
  }

  #holdersOf(key: string): Holders {
    const known = this.#holders.get(key)
    if (known !== undefined) return known
    const holders: Holders = {}
    this.#holders.set(key, holders)
    return holders
  }
}

interface KeyPlace {
  readonly key: string
  readonly folders: readonly string[]
}

function placeOf(key: string): KeyPlace {
  return { key, folders: foldersAbove(key) }
}
