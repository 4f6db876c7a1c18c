import { describe, expect, test } from 'vitest'
import { createIncrementalFold } from './growing-list.js'

interface Item {
  readonly id: number
}

function createSum() {
  const readIds: number[] = []
  const sum = createIncrementalFold<Item, { total: number }>(
    () => ({ total: 0 }),
    (state, { id }) => {
      readIds.push(id)
      state.total += id
    },
  )
  return { readIds, sum }
}

const createItems = (...ids: number[]): Item[] => ids.map((id) => ({ id }))

describe('adding up a list incrementally', () => {
  test('reads each item of a growing list once', () => {
    const { readIds, sum } = createSum()
    const list = createItems(1, 2)

    expect(sum(list).total).toBe(3)
    list.push(...createItems(4))
    expect(sum(list).total).toBe(7)
    expect(sum(list).total).toBe(7)
    expect(readIds).toEqual([1, 2, 4])
  })

  test('starts over for another list', () => {
    const { readIds, sum } = createSum()
    const list = createItems(1, 2)

    expect(sum(list).total).toBe(3)
    expect(sum([...list]).total).toBe(3)
    expect(readIds).toEqual([1, 2, 1, 2])
  })

  test.each<[string, (list: Item[]) => unknown, number]>([
    ['shortened', (list) => list.splice(1), 1],
    ['emptied', (list) => list.splice(0), 0],
    ['cut at its beginning', (list) => list.shift(), 6],
    ['replaced at its end', (list) => list.splice(2, 1, ...createItems(9)), 12],
    ['cut at its beginning and grown', (list) => list.splice(0, 3, ...createItems(5, 5, 5, 5)), 20],
  ])('starts over when the list was %s in place', (_, change, expected) => {
    const { sum } = createSum()
    const list = createItems(1, 2, 4)
    sum(list)

    change(list)

    expect(sum(list).total).toBe(expected)
  })
})
