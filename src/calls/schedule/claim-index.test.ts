import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { type Claims, EXCLUSIVE, SHARED } from './claims.js'
import { ClaimIndex, DependencyNode } from './dependencies.js'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a call is free exactly when every earlier call that it conflicts with has ended', () => {
  fc.assert(
    fc.property(fc.array(claims, { maxLength: 20 }), fc.array(fc.nat(19)), (list, order) => {
      const calls = addAll(list)
      const ended = new Set<number>()
      for (const next of [...order, ...list.keys()]) {
        const expected = list.map((one, at) => ended.has(at) || isFree(list, one, at, ended))
        expect(calls.map(({ waitingFor, isDone }) => isDone || waitingFor === 0)).toEqual(expected)
        // No call ends before it could start.
        if (!expected[next]) continue
        ended.add(next)
        calls[next]?.end()
      }
    }),
    propertyRuns(300),
  )
})

describe('a thousand calls need a few edges each', () => {
  const list = (one: (index: number) => Claims) => Array.from({ length: 1_000 }, (_, index) => one(index))
  const write = (key: string): Claims => ({ kind: 'listed', reads: [], writes: [key] })
  const read = (key: string): Claims => ({ kind: 'listed', reads: [key], writes: [] })

  test.each<[string, readonly Claims[]]>([
    ['all shared', list(() => SHARED)],
    ['all exclusive', list(() => EXCLUSIVE)],
    ['each on a different file', list((index) => write(`/p/src/${index}.ts`))],
    ['all on the same file', list(() => write('/p/src/a.ts'))],
    ['readers of one file, then writers', list((index) => (index < 500 ? read('/p/a') : write('/p/a')))],
    ['readers of a folder, then writers in it', list((index) => (index < 500 ? read('/p') : write(`/p/${index}`)))],
    [
      'writers in a folder and readers of it alternating',
      list((index) => (index % 2 ? read('/p') : write(`/p/${index}`))),
    ],
    ['shared calls, then writers', list((index) => (index < 500 ? SHARED : write(`/p/${index}`)))],
    ['shared calls and writers alternating', list((index) => (index % 2 ? SHARED : write(`/p/${index}`)))],
    ['exclusive and shared calls alternating', list((index) => (index % 2 ? SHARED : EXCLUSIVE))],
  ])('%s', (_, many) => {
    const waits = vi.spyOn(DependencyNode.prototype, 'waitFor')

    addAll(many)

    expect(waits.mock.calls.length).toBeLessThan(12 * many.length)
  })
})

const key = fc.constantFrom('', '/a', '/a/b', '/a/b/c', '/a/d', '/e', 'todo:list')
const claims: fc.Arbitrary<Claims> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Claims>(EXCLUSIVE, SHARED) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('listed' as const),
      reads: fc.array(key, { maxLength: 2 }),
      writes: fc.array(key, { maxLength: 2 }),
    }),
  },
)

function addAll(list: readonly Claims[]): readonly DependencyNode[] {
  const index = new ClaimIndex()
  return list.map((one) => {
    const call = new DependencyNode()
    index.add(call, one)
    return call
  })
}

function isFree(list: readonly Claims[], one: Claims, at: number, ended: ReadonlySet<number>): boolean {
  return list.slice(0, at).every((earlier, index) => ended.has(index) || !conflict(earlier, one))
}

function conflict(a: Claims, b: Claims): boolean {
  if (a.kind === 'everything') return a.isExclusive || writesAnything(b)
  if (b.kind === 'everything') return b.isExclusive || writesAnything(a)
  return meet(a.writes, [...b.reads, ...b.writes]) || meet(b.writes, a.reads)
}

function writesAnything(one: Claims): boolean {
  return one.kind === 'everything' ? one.isExclusive : one.writes.length > 0
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((a) => others.some((b) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)))
}
