import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { valueHash } from './value-hash.js'

test('hashes differ exactly if the JSON differs, regardless of key order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(valueHash(a) === valueHash(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      expect(valueHash(reversed(a))).toBe(valueHash(a))
    }),
    propertyRuns(),
  )
})

test('a deeply nested value does not overflow the stack', () => {
  const deep = (depth: number, core: unknown) => {
    let value = core
    for (let level = 0; level < depth; level++) value = { properties: { next: value } }
    return value
  }

  expect(valueHash(deep(100_000, 'a'))).not.toBe(valueHash(deep(100_000, 'b')))
})

/** Lists of pairs, because an object would move numeric keys to the front. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { pairs: pairs.map(([key, part]) => [key, sorted(part)]) }
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).toReversed()
  return Object.fromEntries(pairs.map(([key, part]) => [key, reversed(part)]))
}
