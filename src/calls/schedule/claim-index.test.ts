import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { type Claims, EXCLUSIVE_CLAIMS, SHARED_CLAIMS } from './claims.js'
import { ClaimIndex, DependencyNode } from './dependencies.js'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a call is free exactly when every earlier call that it conflicts with has ended', () => {
  fc.assert(
    fc.property(fc.array(anyClaims, { maxLength: 20 }), fc.array(fc.nat(19)), (list, endOrder) => {
      const calls = addAllClaims(list)
      const endedIndexes = new Set<number>()
      for (const index of [...endOrder, ...list.keys()]) {
        const expected = list.map(
          (claims, position) => endedIndexes.has(position) || isFree(list, claims, position, endedIndexes),
        )
        expect(calls.map(({ dependencyCount, isDone }) => isDone || dependencyCount === 0)).toEqual(expected)
        // A call that may not start yet cannot end.
        if (!expected[index]) continue
        endedIndexes.add(index)
        calls[index]?.end()
      }
    }),
    createPropertyOptions(300),
  )
})

describe('a thousand calls', () => {
  const list = (claimsAt: (index: number) => Claims) => Array.from({ length: 1_000 }, (_, index) => claimsAt(index))
  const write = (key: string): Claims => ({ kind: 'listed', reads: [], writes: [key] })
  const read = (key: string): Claims => ({ kind: 'listed', reads: [key], writes: [] })

  test.each<[string, readonly Claims[]]>([
    ['that are all shared', list(() => SHARED_CLAIMS)],
    ['that are all exclusive', list(() => EXCLUSIVE_CLAIMS)],
    ['that write different files', list((index) => write(`/p/src/${index}.ts`))],
    ['that write the same file', list(() => write('/p/src/a.ts'))],
    ['that first read and then write one file', list((index) => (index < 500 ? read('/p/a') : write('/p/a')))],
    [
      'that first read a folder and then write in it',
      list((index) => (index < 500 ? read('/p') : write(`/p/${index}`))),
    ],
    [
      'that alternately write in a folder and read it',
      list((index) => (index % 2 ? read('/p') : write(`/p/${index}`))),
    ],
    ['that are first shared and then write', list((index) => (index < 500 ? SHARED_CLAIMS : write(`/p/${index}`)))],
    ['that are alternately shared and writing', list((index) => (index % 2 ? SHARED_CLAIMS : write(`/p/${index}`)))],
    ['that are alternately exclusive and shared', list((index) => (index % 2 ? SHARED_CLAIMS : EXCLUSIVE_CLAIMS))],
  ])('%s need fewer than twelve edges each in the dependency graph', (_, claims) => {
    const waitFor = vi.spyOn(DependencyNode.prototype, 'waitFor')

    addAllClaims(claims)

    expect(waitFor.mock.calls.length).toBeLessThan(12 * claims.length)
  })
})

const key = fc.constantFrom('', '/a', '/a/b', '/a/b/c', '/a/d', '/e', 'todo:list')
const anyClaims: fc.Arbitrary<Claims> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Claims>(EXCLUSIVE_CLAIMS, SHARED_CLAIMS) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('listed' as const),
      reads: fc.array(key, { maxLength: 2 }),
      writes: fc.array(key, { maxLength: 2 }),
    }),
  },
)

function addAllClaims(list: readonly Claims[]): readonly DependencyNode[] {
  const index = new ClaimIndex()
  return list.map((claims) => {
    const call = new DependencyNode()
    index.add(call, claims)
    return call
  })
}

function isFree(list: readonly Claims[], claims: Claims, position: number, endedIndexes: ReadonlySet<number>): boolean {
  return list
    .slice(0, position)
    .every((earlierClaims, index) => endedIndexes.has(index) || !areConflicting(earlierClaims, claims))
}

function areConflicting(a: Claims, b: Claims): boolean {
  if (a.kind === 'everything') return a.isExclusive || writesAnything(b)
  if (b.kind === 'everything') return b.isExclusive || writesAnything(a)
  return haveOverlap(a.writes, [...b.reads, ...b.writes]) || haveOverlap(b.writes, a.reads)
}

function writesAnything(claims: Claims): boolean {
  return claims.kind === 'everything' ? claims.isExclusive : claims.writes.length > 0
}

function haveOverlap(keys: readonly string[], otherKeys: readonly string[]): boolean {
  return keys.some((a) => otherKeys.some((b) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)))
}
