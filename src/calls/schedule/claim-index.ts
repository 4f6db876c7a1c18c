import { foldersAbove } from './claim-keys.js'
import type { Claims } from './claims.js'
import { type DependencyNode, NodeGroup } from './dependency-node.js'

/** The calls that hold one resource, or something below it. */
interface Holders {
  lastWriter?: DependencyNode
  readers?: NodeGroup
  readersBelow?: NodeGroup
  writersBelow?: NodeGroup
}

/**
 * Finds the earlier calls that a new call conflicts with: one of the two writes what the other reads or writes.
 * For each resource only the last writer and the readers since are kept: the last writer waits for all earlier ones.
 */
export class ClaimIndex {
  #lastExclusive: DependencyNode | undefined
  #allCalls = new NodeGroup()
  #sharedCalls = new NodeGroup()
  #writers = new NodeGroup()
  #holders = new Map<string, Holders>()

  /** Adds a call behind all earlier ones, and makes it wait for those that it conflicts with. */
  add(call: DependencyNode, claims: Claims): void {
    call.waitFor(this.#lastExclusive)
    if (claims.kind === 'listed') this.#addListed(call, claims)
    else if (claims.isExclusive) this.#addExclusive(call)
    else this.#addShared(call)
  }

  #addExclusive(call: DependencyNode): void {
    this.#allCalls.holdBack(call)
    this.#lastExclusive = call
    this.#allCalls = new NodeGroup()
    this.#sharedCalls = new NodeGroup()
    this.#writers = new NodeGroup()
    this.#holders = new Map()
  }

  #addShared(call: DependencyNode): void {
    this.#writers.holdBack(call)
    this.#sharedCalls.add(call)
    this.#allCalls.add(call)
  }

  #addListed(call: DependencyNode, { reads, writes }: Extract<Claims, { kind: 'listed' }>): void {
    if (writes.length > 0) this.#sharedCalls.holdBack(call)
    const read = reads.map(resourceKey)
    const written = writes.map(resourceKey)
    // A call must not wait for itself, so its dependencies are added before it holds anything.
    for (const resource of read) this.#waitToRead(call, resource)
    for (const resource of written) this.#waitToWrite(call, resource)
    for (const resource of read) this.#holdToRead(call, resource)
    for (const resource of written) this.#holdToWrite(call, resource)
    if (writes.length > 0) this.#writers.add(call)
    this.#allCalls.add(call)
  }

  /** Paths above and below count too: reading a folder reads everything in it. */
  #waitToRead(call: DependencyNode, { key, folders }: ResourceKey): void {
    const holders = this.#holders.get(key)
    call.waitFor(holders?.lastWriter)
    holders?.writersBelow?.holdBack(call)
    for (const folder of folders) call.waitFor(this.#holders.get(folder)?.lastWriter)
  }

  #waitToWrite(call: DependencyNode, { key, folders }: ResourceKey): void {
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

  #holdToRead(call: DependencyNode, { key, folders }: ResourceKey): void {
    const holders = this.#holdersOf(key)
    holders.readers ??= new NodeGroup()
    holders.readers.add(call)
    for (const folder of folders) {
      const above = this.#holdersOf(folder)
      above.readersBelow ??= new NodeGroup()
      above.readersBelow.add(call)
    }
  }

  #holdToWrite(call: DependencyNode, { key, folders }: ResourceKey): void {
    this.#holders.set(key, { lastWriter: call })
    for (const folder of folders) {
      const above = this.#holdersOf(folder)
      above.writersBelow ??= new NodeGroup()
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

interface ResourceKey {
  readonly key: string
  readonly folders: readonly string[]
}

function resourceKey(key: string): ResourceKey {
  return { key, folders: foldersAbove(key) }
}
