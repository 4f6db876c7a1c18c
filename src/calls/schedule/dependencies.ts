import { type Claims, listFoldersAbove } from './claims.js'

/** A node of the dependency graph: it can start when every node that it waits for has passed. */
export class DependencyNode {
  /** The number of nodes that this node still waits for. */
  dependencyCount = 0
  /** Whether the node has no work left, because its call has ended or it is a join node. */
  isDone = false
  /** Whether the node is done, and so is everything that it waited for. It then delays no other node. */
  hasPassed = false
  /** Created on demand, because most nodes have no dependents. */
  #dependents: DependencyNode[] | undefined

  /** Called when the last dependency has passed. */
  onFree(): void {}

  waitFor(earlierNode: DependencyNode | undefined): void {
    if (earlierNode === undefined || earlierNode.hasPassed || earlierNode === this) return
    // All dependencies of a new node are added at once, so a duplicate can only be the last entry.
    const dependents = earlierNode.#dependents
    if (dependents?.at(-1) === this) return
    if (dependents === undefined) earlierNode.#dependents = [this]
    else dependents.push(this)
    this.dependencyCount++
  }

  /**
   * Releases the nodes that wait for this one, as soon as it waits for nothing itself. A node that is done while it still
   * waits must stay in the graph, because later nodes wait for its predecessors only through it.
   */
  end(): void {
    this.isDone = true
    if (this.dependencyCount > 0 || this.hasPassed) return
    // A loop instead of recursion: chains can be as long as a message has calls.
    const passingNodes: DependencyNode[] = [this]
    for (let node = passingNodes.pop(); node !== undefined; node = passingNodes.pop()) {
      node.hasPassed = true
      const dependents = node.#dependents ?? []
      node.#dependents = undefined
      for (const dependent of dependents) {
        if (--dependent.dependencyCount > 0) continue
        if (dependent.isDone) passingNodes.push(dependent)
        else dependent.onFree()
      }
    }
  }
}

/** Passes when everything that it waits for has passed: one node to wait for instead of many. */
class JoinNode extends DependencyNode {
  override isDone = true
}

/**
 * Nodes that share a resource. A later node waits for one join node instead of each member, so that a thousand
 * readers before a thousand writers need two thousand edges instead of a million.
 */
export class NodeGroup {
  #members: DependencyNode[] = []

  add(member: DependencyNode): void {
    this.#members.push(member)
  }

  /** Makes a later node wait for all members. */
  holdBack(laterNode: DependencyNode): void {
    if (this.#members.length > 1) this.#members = joinNodes(this.#members)
    laterNode.waitFor(this.#members[0])
  }
}

function joinNodes(members: readonly DependencyNode[]): DependencyNode[] {
  const pendingMembers = members.filter(({ hasPassed }) => !hasPassed)
  if (pendingMembers.length <= 1) return pendingMembers
  const joinNode = new JoinNode()
  for (const member of pendingMembers) joinNode.waitFor(member)
  return [joinNode]
}

/** The calls that hold one resource, or something below it. */
interface Holders {
  lastWriter?: DependencyNode
  readers?: NodeGroup
  readersBelow?: NodeGroup
  writersBelow?: NodeGroup
}

/**
 * Finds the earlier calls that a new call conflicts with: one of the two writes what the other reads or writes.
 * For each resource only the last writer and the readers since then are kept, because that writer waits for all earlier holders.
 */
export class ClaimIndex {
  #lastExclusive: DependencyNode | undefined
  #allCalls = new NodeGroup()
  #sharedCalls = new NodeGroup()
  #writers = new NodeGroup()
  #holders = new Map<string, Holders>()

  /** Adds a call after all earlier ones, and makes it wait for those that it conflicts with. */
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
    const readKeys = reads.map(toResourceKey)
    const writtenKeys = writes.map(toResourceKey)
    // A call must not wait for itself, so its dependencies are added before it is recorded as a reader or writer.
    for (const resource of readKeys) this.#waitToRead(call, resource)
    for (const resource of writtenKeys) this.#waitToWrite(call, resource)
    for (const resource of readKeys) this.#holdToRead(call, resource)
    for (const resource of writtenKeys) this.#holdToWrite(call, resource)
    if (writes.length > 0) this.#writers.add(call)
    this.#allCalls.add(call)
  }

  /**
   * Makes a call wait for the earlier writers of a resource. Paths above and below count too: reading a folder reads everything
   * in it.
   */
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
      const holdersAbove = this.#holders.get(folder)
      call.waitFor(holdersAbove?.lastWriter)
      holdersAbove?.readers?.holdBack(call)
    }
  }

  #holdToRead(call: DependencyNode, { key, folders }: ResourceKey): void {
    const holders = this.#getHolders(key)
    holders.readers ??= new NodeGroup()
    holders.readers.add(call)
    for (const folder of folders) {
      const holdersAbove = this.#getHolders(folder)
      holdersAbove.readersBelow ??= new NodeGroup()
      holdersAbove.readersBelow.add(call)
    }
  }

  #holdToWrite(call: DependencyNode, { key, folders }: ResourceKey): void {
    this.#holders.set(key, { lastWriter: call })
    for (const folder of folders) {
      const holdersAbove = this.#getHolders(folder)
      holdersAbove.writersBelow ??= new NodeGroup()
      holdersAbove.writersBelow.add(call)
    }
  }

  #getHolders(key: string): Holders {
    const existingHolders = this.#holders.get(key)
    if (existingHolders !== undefined) return existingHolders
    const holders: Holders = {}
    this.#holders.set(key, holders)
    return holders
  }
}

interface ResourceKey {
  readonly key: string
  readonly folders: readonly string[]
}

function toResourceKey(key: string): ResourceKey {
  return { key, folders: listFoldersAbove(key) }
}
