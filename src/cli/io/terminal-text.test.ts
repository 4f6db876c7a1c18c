import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { measureWidth, padText, truncateText, wrapParts } from './terminal-text.js'

test.each([
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['🎉', 2],
])('%j is %i columns wide', (text, width) => {
  expect(measureWidth(text)).toBe(width)
})

test('a cut text fits its columns and ends with an ellipsis, and a padded text fills its columns', () => {
  expect(truncateText('abcdef', 4)).toBe('abc…')
  expect(truncateText('日本語', 4)).toBe('日…')
  expect(truncateText('abcd', 4)).toBe('abcd')
  expect(padText('日', 4)).toBe('日  ')
})

test('no wrapped line is wider than requested', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 1, max: 60 }), (parts, columns) => {
      for (const line of wrapParts(parts, columns, ' · ')) expect(measureWidth(line)).toBeLessThanOrEqual(columns)
    }),
    createPropertyOptions(),
  )
})
