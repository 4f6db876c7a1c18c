/** A node of the dependency graph: it becomes free when every node that it waits for has passed. */
export class DependencyNode {
  /** The number of nodes that this node still waits for. */
  waitingFor = 0
  /** The call has its result and will not start. */
  isDone = false
  /** The node is done, and so is everything that it waited for: it holds back no other node. */
  hasPassed = false
  /** Created on demand, because most nodes have no dependents. */
  #dependents: DependencyNode[] | undefined

  /** Called when the last dependency has passed. */
  onFree(): void {}

  waitFor(earlier: DependencyNode | undefined): void {
    if (earlier === undefined || earlier.hasPassed || earlier === this) return
    // All dependencies of a new node are added at once, so a duplicate can only be the last entry.
    const dependents = earlier.#dependents
    if (dependents?.at(-1) === this) return
    if (dependents === undefined) earlier.#dependents = [this]
    else dependents.push(this)
    this.waitingFor++
  }

  /**
   * Releases the nodes that wait for this one, as soon as it waits for nothing itself. A node that is done while it still
   * waits must stay in the graph, because later nodes wait for its predecessors only through it.
   */
  end(): void {
    this.isDone = true
    if (this.waitingFor > 0 || this.hasPassed) return
    // A loop instead of recursion: chains can be as long as a message has calls.
    const passing: DependencyNode[] = [this]
    for (let node = passing.pop(); node !== undefined; node = passing.pop()) {
      node.hasPassed = true
      const dependents = node.#dependents ?? []
      node.#dependents = undefined
      for (const dependent of dependents) {
        if (--dependent.waitingFor > 0) continue
        if (dependent.isDone) passing.push(dependent)
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
  holdBack(later: DependencyNode): void {
    if (this.#members.length > 1) this.#members = join(this.#members)
    later.waitFor(this.#members[0])
  }
}

function join(members: readonly DependencyNode[]): DependencyNode[] {
  const pending = members.filter(({ hasPassed }) => !hasPassed)
  if (pending.length <= 1) return pending
  const joinNode = new JoinNode()
  for (const member of pending) joinNode.waitFor(member)
  return [joinNode]
}
