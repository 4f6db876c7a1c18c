import { expect, test } from 'vitest'
import { DependencyNode, NodeGroup } from './dependency-node.js'

class Counted extends DependencyNode {
  freed = 0
  override onFree(): void {
    this.freed++
  }
}

test('is free when the last that it waits for has ended', () => {
  const [first, second, third] = [new DependencyNode(), new DependencyNode(), new Counted()]
  third.waitFor(first)
  third.waitFor(second)

  second.end()
  expect(third.freed).toBe(0)

  first.end()
  expect(third.freed).toBe(1)
})

test('waits once, however often it is told to', () => {
  const [first, second] = [new DependencyNode(), new Counted()]
  second.waitFor(first)
  second.waitFor(first)

  expect(second.waitingFor).toBe(1)
})

test('waits neither for itself nor for what has ended', () => {
  const [first, second] = [new DependencyNode(), new Counted()]
  first.end()
  second.waitFor(first)
  second.waitFor(second)
  second.waitFor(undefined)

  expect(second.waitingFor).toBe(0)
})

test('one that has ended is not told that it is free', () => {
  const [first, second] = [new DependencyNode(), new Counted()]
  second.waitFor(first)
  second.end()
  first.end()

  expect(second.freed).toBe(0)
})

test('one that ends while it waits lets go of those behind it only when it waits for nobody', () => {
  const [first, second, third] = [new DependencyNode(), new Counted(), new Counted()]
  second.waitFor(first)
  third.waitFor(second)
  second.end()
  const [late, behindCrowd, crowd] = [new Counted(), new Counted(), new NodeGroup()]
  late.waitFor(second)
  crowd.add(second)
  crowd.add(new DependencyNode())
  crowd.holdBack(behindCrowd)

  expect([third.freed, third.waitingFor, late.waitingFor, behindCrowd.waitingFor]).toEqual([0, 1, 1, 1])

  first.end()
  expect([second.freed, third.freed, late.freed, behindCrowd.freed]).toEqual([0, 1, 1, 0])
})

test('a crowd holds a newcomer back until the last of it has ended', () => {
  const crowd = new NodeGroup()
  const members = Array.from({ length: 5 }, () => new DependencyNode())
  for (const member of members) crowd.add(member)
  const newcomer = new Counted()
  crowd.holdBack(newcomer)

  for (const member of members.slice(1)) member.end()
  expect(newcomer.freed).toBe(0)

  members[0]?.end()
  expect(newcomer.freed).toBe(1)
})

test('a crowd that has gone holds nobody back', () => {
  const crowd = new NodeGroup()
  const members = [new DependencyNode(), new DependencyNode()]
  for (const member of members) crowd.add(member)
  for (const member of members) member.end()
  const newcomer = new Counted()
  crowd.holdBack(newcomer)
  new NodeGroup().holdBack(newcomer)

  expect(newcomer.waitingFor).toBe(0)
})

test('joints of joints end without a deep stack', () => {
  const crowd = new NodeGroup()
  const first = new DependencyNode()
  crowd.add(first)
  const newcomers = Array.from({ length: 50_000 }, () => {
    const member = new DependencyNode()
    crowd.add(member)
    const newcomer = new Counted()
    crowd.holdBack(newcomer)
    member.end()
    return newcomer
  })

  first.end()

  expect(newcomers.every(({ freed }) => freed === 1)).toBe(true)
})
