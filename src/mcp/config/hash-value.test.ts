import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { hashValue } from './hash-value.js'

test('two values have different hashes exactly if their JSON differs in more than key order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(hashValue(a) === hashValue(b)).toBe(JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b)))
      expect(hashValue(reverseKeys(a))).toBe(hashValue(a))
    }),
    createPropertyOptions(),
  )
})

test('hashing a deeply nested value does not overflow the stack', () => {
  const nest = (depth: number, innermostValue: unknown) => {
    let value = innermostValue
    for (let level = 0; level < depth; level++) value = { properties: { next: value } }
    return value
  }

  expect(hashValue(nest(100_000, 'a'))).not.toBe(hashValue(nest(100_000, 'b')))
})

/** Sorts all keys. Objects become lists of pairs, because an object moves numeric keys to the front. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { pairs: pairs.map(([key, part]) => [key, sortKeys(part)]) }
}

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).toReversed()
  return Object.fromEntries(pairs.map(([key, part]) => [key, reverseKeys(part)]))
}
