import { expect, test } from 'vitest'
import { DependencyNode, NodeGroup } from './dependencies.js'

class CountingNode extends DependencyNode {
  freeCount = 0
  override onFree(): void {
    this.freeCount++
  }
}

test('a node is free when its last dependency has ended', () => {
  const [first, second, third] = [new DependencyNode(), new DependencyNode(), new CountingNode()]
  third.waitFor(first)
  third.waitFor(second)

  second.end()
  expect(third.freeCount).toBe(0)

  first.end()
  expect(third.freeCount).toBe(1)
})

test('a dependency that is added twice is counted once', () => {
  const [first, second] = [new DependencyNode(), new CountingNode()]
  second.waitFor(first)
  second.waitFor(first)

  expect(second.dependencyCount).toBe(1)
})

test('a node waits neither for itself nor for ended nodes', () => {
  const [first, second] = [new DependencyNode(), new CountingNode()]
  first.end()
  second.waitFor(first)
  second.waitFor(second)
  second.waitFor(undefined)

  expect(second.dependencyCount).toBe(0)
})

test('onFree is not called on a node that has ended', () => {
  const [first, second] = [new DependencyNode(), new CountingNode()]
  second.waitFor(first)
  second.end()
  first.end()

  expect(second.freeCount).toBe(0)
})

test('a node that ends while it waits releases its dependents only after its own dependencies', () => {
  const [first, second, third] = [new DependencyNode(), new CountingNode(), new CountingNode()]
  second.waitFor(first)
  third.waitFor(second)
  second.end()
  const [laterNode, nodeBehindGroup, group] = [new CountingNode(), new CountingNode(), new NodeGroup()]
  laterNode.waitFor(second)
  group.add(second)
  group.add(new DependencyNode())
  group.holdBack(nodeBehindGroup)

  expect([third.freeCount, third.dependencyCount, laterNode.dependencyCount, nodeBehindGroup.dependencyCount]).toEqual([
    0, 1, 1, 1,
  ])

  first.end()
  expect([second.freeCount, third.freeCount, laterNode.freeCount, nodeBehindGroup.freeCount]).toEqual([0, 1, 1, 0])
})

test('a group delays a later node until its last member has ended', () => {
  const group = new NodeGroup()
  const members = Array.from({ length: 5 }, () => new DependencyNode())
  for (const member of members) group.add(member)
  const laterNode = new CountingNode()
  group.holdBack(laterNode)

  for (const member of members.slice(1)) member.end()
  expect(laterNode.freeCount).toBe(0)

  members[0]?.end()
  expect(laterNode.freeCount).toBe(1)
})

test('a group whose members have ended delays no node', () => {
  const group = new NodeGroup()
  const members = [new DependencyNode(), new DependencyNode()]
  for (const member of members) group.add(member)
  for (const member of members) member.end()
  const laterNode = new CountingNode()
  group.holdBack(laterNode)
  new NodeGroup().holdBack(laterNode)

  expect(laterNode.dependencyCount).toBe(0)
})

test('nested join nodes do not overflow the stack', () => {
  const group = new NodeGroup()
  const first = new DependencyNode()
  group.add(first)
  const laterNodes = Array.from({ length: 50_000 }, () => {
    const member = new DependencyNode()
    group.add(member)
    const laterNode = new CountingNode()
    group.holdBack(laterNode)
    member.end()
    return laterNode
  })

  first.end()

  expect(laterNodes.every(({ freeCount }) => freeCount === 1)).toBe(true)
})
