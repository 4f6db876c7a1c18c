import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { FairLimiter } from './fair-limiter.js'

const settled = () => new Promise(setImmediate)

/** Work that is done when told to. */
function works(limiter: FairLimiter, kind = 'shell') {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  let atOnce = 0
  let running = 0
  const run = (owner: string, name: string) =>
    limiter.run(kind, owner, async () => {
      begun.push(name)
      atOnce = Math.max(atOnce, ++running)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      running--
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { begun, run, end, most: () => atOnce }
}

test('ten agents with ten calls each never exceed the limit, and are served in turn', async () => {
  const limiter = new FairLimiter({ shell: 10 })
  const { begun, run, end, most } = works(limiter)
  const owners = Array.from({ length: 10 }, (_, owner) => owner)
  for (const owner of owners) for (let call = 0; call < 10; call++) run(`${owner}`, `${owner}.${call}`)
  await settled()
  expect(begun).toHaveLength(10)

  for (let at = 0; at < 100; at++) await end(begun[at] as string)

  expect(begun).toHaveLength(100)
  expect(most()).toBe(10)
  // The first agent took all places while it was alone; from then on each has one in every round of those who wait.
  const rest = begun.slice(10)
  for (let round = 0; round < 9; round++) {
    expect(rest.slice(round * 9, round * 9 + 9).map((name) => name.split('.')[0])).toEqual(owners.slice(1).map(String))
  }
})

test('whoever has much to do never keeps another from its turn for long', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 }), async (counts) => {
      const { begun, run, end, most } = works(new FairLimiter({ shell: 2 }))
      for (const [owner, count] of counts.entries())
        for (let call = 0; call < count; call++) run(`${owner}`, `${owner}.${call}`)
      await settled()
      for (let at = 0; at < begun.length; at++) await end(begun[at] as string)

      const total = counts.reduce((sum, count) => sum + count, 0)
      expect(begun).toHaveLength(total)
      expect(most()).toBeLessThanOrEqual(2)
      for (const [owner] of counts.entries()) {
        const first = begun.indexOf(`${owner}.0`)
        expect(first).toBeLessThanOrEqual(2 + counts.length)
      }
    }),
    propertyRuns(50),
  ))

describe('a limit', () => {
  test('counts for each thing of its kind by itself', async () => {
    const limiter = new FairLimiter({ mcp: 1 })
    const [one, other] = [works(limiter, 'mcp:one'), works(limiter, 'mcp:other')]
    one.run('main', 'a')
    one.run('main', 'b')
    other.run('main', 'c')
    await settled()

    expect([one.begun, other.begun]).toEqual([['a'], ['c']])
  })

  test('that is not there lets all through', async () => {
    const { begun, run } = works(new FairLimiter({ mcp: 1 }), 'none')
    run('main', 'a')
    run('main', 'b')

    expect(begun).toEqual(['a', 'b'])
  })

  test.each([0, -1, Number.NaN])('of %d lets one through, and not none for ever', async (limit) => {
    const { begun, run, end } = works(new FairLimiter({ shell: limit }))
    run('main', 'a')
    run('main', 'b')
    await settled()
    expect(begun).toEqual(['a'])

    await end('a')
    expect(begun).toEqual(['a', 'b'])
  })
})

test('work that fails, now or later, gives its place on', async () => {
  const limiter = new FairLimiter({ shell: 1 })
  const now = limiter.run('shell', 'main', () => {
    throw new Error('now')
  })
  const later = limiter.run('shell', 'main', () => Promise.reject(new Error('later')))

  await expect(now).rejects.toThrow('now')
  await expect(later).rejects.toThrow('later')
  await expect(limiter.run('shell', 'main', async () => 'next')).resolves.toBe('next')
})
