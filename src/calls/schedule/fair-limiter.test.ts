import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { FairLimiter } from './fair-limiter.js'

const settle = () => new Promise(setImmediate)

/** Creates work that the test ends by name. */
function createWork(limiter: FairLimiter, kind = 'shell') {
  const startedNames: string[] = []
  const ends = new Map<string, () => void>()
  let maxRunningCount = 0
  let runningCount = 0
  const run = (owner: string, name: string) =>
    limiter.run(kind, owner, async () => {
      startedNames.push(name)
      maxRunningCount = Math.max(maxRunningCount, ++runningCount)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      runningCount--
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { startedNames, run, end, maxRunning: () => maxRunningCount }
}

test('ten agents with ten calls each stay within the limit and take turns', async () => {
  const limiter = new FairLimiter({ shell: 10 })
  const { startedNames, run, end, maxRunning } = createWork(limiter)
  const owners = Array.from({ length: 10 }, (_, owner) => owner)
  for (const owner of owners) for (let call = 0; call < 10; call++) run(`${owner}`, `${owner}.${call}`)
  await settle()
  expect(startedNames).toHaveLength(10)

  for (let index = 0; index < 100; index++) await end(startedNames[index] as string)

  expect(startedNames).toHaveLength(100)
  expect(maxRunning()).toBe(10)
  // The first agent took all slots while it was alone. After that, each waiting agent gets one slot per round.
  const laterStarts = startedNames.slice(10)
  for (let round = 0; round < 9; round++) {
    expect(laterStarts.slice(round * 9, round * 9 + 9).map((name) => name.split('.')[0])).toEqual(
      owners.slice(1).map(String),
    )
  }
})

test('an owner with many calls does not starve the others', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 }), async (counts) => {
      const { startedNames, run, end, maxRunning } = createWork(new FairLimiter({ shell: 2 }))
      for (const [owner, count] of counts.entries())
        for (let call = 0; call < count; call++) run(`${owner}`, `${owner}.${call}`)
      await settle()
      for (let index = 0; index < startedNames.length; index++) await end(startedNames[index] as string)

      const total = counts.reduce((sum, count) => sum + count, 0)
      expect(startedNames).toHaveLength(total)
      expect(maxRunning()).toBeLessThanOrEqual(2)
      for (const [owner] of counts.entries()) {
        const firstStart = startedNames.indexOf(`${owner}.0`)
        expect(firstStart).toBeLessThanOrEqual(2 + counts.length)
      }
    }),
    createPropertyOptions(50),
  ))

describe('a limit', () => {
  test('for a family of kinds applies to each kind separately', async () => {
    const limiter = new FairLimiter({ mcp: 1 })
    const [one, other] = [createWork(limiter, 'mcp:one'), createWork(limiter, 'mcp:other')]
    one.run('main', 'a')
    one.run('main', 'b')
    other.run('main', 'c')
    await settle()

    expect([one.startedNames, other.startedNames]).toEqual([['a'], ['c']])
  })

  test('that is not set allows every call', async () => {
    const { startedNames, run } = createWork(new FairLimiter({ mcp: 1 }), 'none')
    run('main', 'a')
    run('main', 'b')

    expect(startedNames).toEqual(['a', 'b'])
  })

  test.each([0, -1, Number.NaN])('of %d allows one call at a time', async (limit) => {
    const { startedNames, run, end } = createWork(new FairLimiter({ shell: limit }))
    run('main', 'a')
    run('main', 'b')
    await settle()
    expect(startedNames).toEqual(['a'])

    await end('a')
    expect(startedNames).toEqual(['a', 'b'])
  })
})

test('work that fails, synchronously or later, releases its slot', async () => {
  const limiter = new FairLimiter({ shell: 1 })
  const syncFailure = limiter.run('shell', 'main', () => {
    throw new Error('now')
  })
  const asyncFailure = limiter.run('shell', 'main', () => Promise.reject(new Error('later')))

  await expect(syncFailure).rejects.toThrow('now')
  await expect(asyncFailure).rejects.toThrow('later')
  await expect(limiter.run('shell', 'main', async () => 'next')).resolves.toBe('next')
})
