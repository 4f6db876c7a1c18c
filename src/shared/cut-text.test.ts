import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { cutText, cutTextStart, shortenText } from './cut-text.js'

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['abc', 0, ''],
  ['a🎉b', 2, 'a'],
  ['a🎉b', 3, 'a🎉'],
  ['ae\u0301b', 2, 'a'],
  ['x👩‍👩‍👧', 5, 'x'],
  ['a\r\nb', 2, 'a\r'],
])('the start of %j in %i characters is %j', (text, maxChars, cut) => {
  expect(cutText(text, maxChars)).toBe(cut)
})

test.each([
  ['abc', 2, 'bc'],
  ['a🎉b', 2, 'b'],
  ['e\u0301b', 2, 'b'],
  ['abc', 0, ''],
])('the end of %j in %i characters is %j', (text, maxChars, cut) => {
  expect(cutTextStart(text, maxChars)).toBe(cut)
})

test('a shortened text ends with an ellipsis and does not exceed the limit', () => {
  expect(shortenText('a🎉b', 3)).toBe('a…')
  expect(shortenText('a🎉', 3)).toBe('a🎉')
})

test('text that is cut stays well-formed and within the limit, even inside very long clusters', () => {
  const clusters = fc.array(fc.constantFrom('a', '🎉', '\u0301', '\u200d', '🇩🇪', '👩', '日'), { maxLength: 200 })
  fc.assert(
    fc.property(clusters, fc.nat(300), (parts, maxChars) => {
      const text = parts.join('')
      for (const cut of [cutText(text, maxChars), cutTextStart(text, maxChars)]) {
        expect(cut.isWellFormed()).toBe(true)
        expect(cut.length).toBeLessThanOrEqual(maxChars)
      }
      expect(text.startsWith(cutText(text, maxChars)) && text.endsWith(cutTextStart(text, maxChars))).toBe(true)
    }),
    createPropertyOptions(),
  )
})
