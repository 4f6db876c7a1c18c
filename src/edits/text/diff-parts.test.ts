import { diffArrays } from 'diff'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { diffParts } from './diff-parts.js'

test('differences are the same as those of the package diff', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  fc.assert(
    fc.property(parts, parts, fc.nat(60), (before, after, maxDifferences) => {
      const expected = diffArrays(before, after, { maxEditLength: maxDifferences })?.map(
        ({ added, removed, count }) => ({
          kind: added ? 'added' : removed ? 'removed' : 'same',
          count,
        }),
      )
      expect(diffParts(before, after, maxDifferences)).toEqual(expected?.filter(({ count }) => count !== 0))
    }),
    propertyRuns(5_000),
  )
})

test('2,000 differences between lists of equal and of different parts are found', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
  const after = before.map((line, index) => (index % 20 === 0 ? `${line} changed` : line))
  expect(diffParts(before, after, 1_999)).toBeUndefined()
  expect(diffParts(before, after, 2_000)).toHaveLength(3_000)
})
