import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { findSequence } from './find-sequence.js'
import { findText } from './find-text.js'

/** Finds every occurrence by comparing at every position. */
function findSlowly(text: string, searchText: string, from = 0): readonly number[] {
  return [...text].flatMap((_, at) => (at >= from && text.startsWith(searchText, at) ? [at] : []))
}

test('findText and findSequence find every occurrence, overlapping ones included', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength })
  fc.assert(
    fc.property(letters(200), letters(8), fc.nat(20), (text, searchText, from) => {
      const expected = findSlowly(text, searchText, from)
      expect(runSteps(findText(text, searchText, from))).toEqual(expected)
      const codesOf = (content: string) => ({
        length: content.length,
        at: (index: number) => content.charCodeAt(index),
      })
      expect(runSteps(findSequence(codesOf(text), codesOf(searchText), from))).toEqual(expected)
    }),
    createPropertyOptions(500),
  )
})

test('a long text is found in ordinary and in repetitive text, even across the boundaries of search steps', () => {
  const longText = `start ${'middle '.repeat(100)}end`
  const text = `${'x'.repeat(262_000)}${longText}${longText}`
  expect(runSteps(findText(text, longText))).toEqual([262_000, 262_000 + longText.length])
  expect(runSteps(findText(text, longText, 0, 1))).toEqual([262_000])
  expect(runSteps(findText(text, `${longText}!`))).toEqual([])
  expect(runSteps(findText('a'.repeat(1_000), 'a'.repeat(998)))).toEqual([0, 1, 2])
})

// In quadratic time, this test would exceed its time limit.
test('a long repetitive text is searched in linear time', () => {
  const text = 'a'.repeat(1_000_000)
  expect(runSteps(findText(text, `b${'a'.repeat(500_000)}`))).toEqual([])
  expect(runSteps(findText(text, `${'a'.repeat(500_000)}b`))).toEqual([])
  expect(runSteps(findText(text, 'a'.repeat(500_000)))).toHaveLength(500_001)
})
