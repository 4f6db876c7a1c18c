import { diffArrays } from 'diff'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { diffParts } from './diff-parts.js'

test('diffParts finds the same differences as the package diff', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  fc.assert(
    fc.property(parts, parts, fc.nat(60), (partsBefore, partsAfter, maxDifferences) => {
      const expected = diffArrays(partsBefore, partsAfter, { maxEditLength: maxDifferences })?.map(
        ({ added, removed, count }) => ({
          kind: added ? 'added' : removed ? 'removed' : 'same',
          count,
        }),
      )
      expect(diffParts(partsBefore, partsAfter, maxDifferences)).toEqual(expected?.filter(({ count }) => count !== 0))
    }),
    createPropertyOptions(5_000),
  )
})

test('lists with 2,000 differences are compared if the limit is 2,000, but not if it is lower', () => {
  const linesBefore = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
  const linesAfter = linesBefore.map((line, index) => (index % 20 === 0 ? `${line} changed` : line))
  expect(diffParts(linesBefore, linesAfter, 1_999)).toBeUndefined()
  expect(diffParts(linesBefore, linesAfter, 2_000)).toHaveLength(3_000)
})
