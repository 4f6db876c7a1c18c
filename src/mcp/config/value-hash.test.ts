import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { valueHash } from './value-hash.js'

test('values are told apart exactly where their JSON differs, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(valueHash(a) === valueHash(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      expect(valueHash(reversed(a))).toBe(valueHash(a))
    }),
    propertyRuns(),
  )
})

test('a value nested without end is no trouble', () => {
  const deep = (depth: number, core: unknown) => {
    let value = core
    for (let level = 0; level < depth; level++) value = { properties: { next: value } }
    return value
  }

  expect(valueHash(deep(100_000, 'a'))).not.toBe(valueHash(deep(100_000, 'b')))
})

/** Lists of pairs: an object would put keys that are numbers first. */
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
