import { expect, test } from 'vitest'
import { EndedPrefix } from './ended-prefix.js'

test('counts only up to the first that has not ended', () => {
  const prefix = new EndedPrefix()

  const lengths = [1, 0, 3, 2].map((index) => {
    prefix.end(index)
    return prefix.length
  })

  expect(lengths).toEqual([0, 2, 2, 4])
})

test('tells each who waits when its count is reached', async () => {
  const prefix = new EndedPrefix()
  const told: string[] = []
  const waits = [
    prefix.reach(2).then(() => told.push('two')),
    prefix.reach(1).then(() => told.push('one')),
    prefix.reach(1).then(() => told.push('one, too')),
  ]

  prefix.end(0)
  await Promise.all(waits.slice(1))
  expect(told).toEqual(['one', 'one, too'])

  prefix.end(1)
  await Promise.all(waits)
  expect(told).toEqual(['one', 'one, too', 'two'])
})

test('lets go of everybody once nothing further will end', async () => {
  const prefix = new EndedPrefix()
  const before = prefix.reach(Number.POSITIVE_INFINITY)

  prefix.close()

  await expect(before).resolves.toBeUndefined()
  await expect(prefix.reach(5)).resolves.toBeUndefined()
})
