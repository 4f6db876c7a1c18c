import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { toPrintable, toPrintableLines } from './printable.js'

test.each([
  ['plain', 'plain'],
  ['a\u001b[31mred', 'a\\u001b[31mred'],
  ['line\nnext\u202e', 'line\\u000anext\\u202e'],
  ['äß日🎉', 'äß日🎉'],
])('%j is printed as %j', (text, expected) => {
  expect(toPrintable(text)).toBe(expected)
})

test.each([
  ['a\tb\nc\r\nd', 'a\tb\nc\r\nd'],
  ['\u001b]52;c;cHduZWQ=\u0007', '\\u001b]52;c;cHduZWQ=\\u0007'],
  ['safe\rfake', 'safe\\u000dfake'],
  ['\u009b2J and \u009d0;title\u009c', '\\u009b2J and \\u009d0;title\\u009c'],
  ['🎉\ud83c', '🎉\\ud83c'],
  ['👩‍👩‍👧 e\u0301 שלום\u200f', '👩‍👩‍👧 e\u0301 שלום\u200f'],
])('lines such as %j are printed as %j', (text, expected) => {
  expect(toPrintableLines(text)).toBe(expected)
})

test('JSON has the same value after its unprintable characters are escaped', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 1 }), (value) => {
      const text = JSON.stringify(value, null, 2)
      expect(JSON.parse(toPrintableLines(text))).toEqual(JSON.parse(text))
    }),
    createPropertyOptions(),
  )
})
