import { expect, test } from 'vitest'
import { EndedPrefix } from './call-order.js'

test('the length of the ended prefix is the number of calls before the first one that has not ended', () => {
  const prefix = new EndedPrefix()

  const lengths = [1, 0, 3, 2].map((index) => {
    prefix.end(index)
    return prefix.length
  })

  expect(lengths).toEqual([0, 2, 2, 4])
})

test('a wait for a number of ended calls resolves when that number is reached', async () => {
  const prefix = new EndedPrefix()
  const resolvedNames: string[] = []
  const waitPromises = [
    prefix.waitForCount(2).then(() => resolvedNames.push('two')),
    prefix.waitForCount(1).then(() => resolvedNames.push('one')),
    prefix.waitForCount(1).then(() => resolvedNames.push('one again')),
  ]

  prefix.end(0)
  await Promise.all(waitPromises.slice(1))
  expect(resolvedNames).toEqual(['one', 'one again'])

  prefix.end(1)
  await Promise.all(waitPromises)
  expect(resolvedNames).toEqual(['one', 'one again', 'two'])
})

test('closing an ended prefix resolves all waits', async () => {
  const prefix = new EndedPrefix()
  const waiter = prefix.waitForCount(Number.POSITIVE_INFINITY)

  prefix.close()

  await expect(waiter).resolves.toBeUndefined()
  await expect(prefix.waitForCount(5)).resolves.toBeUndefined()
})
