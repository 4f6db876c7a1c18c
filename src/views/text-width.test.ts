import { expect, test } from 'vitest'
import { truncate } from './text-width.js'

test.each([
  ['short', 'short'],
  ['exactly 12 c', 'exactly 12 c'],
  ['more than twelve', 'more than t…'],
  ['漢字漢字漢字漢字', '漢字漢字漢…'],
  ['👩‍👩‍👧'.repeat(1_000), `${'👩‍👩‍👧'.repeat(5)}…`],
  ['ü漢'.repeat(100_000), 'ü漢ü漢ü漢ü…'],
  [`a${'\u0301'.repeat(10_000)}b`, `a${'\u0301'.repeat(383)}…`],
])('a line is cut to twelve columns', (text, expected) => {
  expect(truncate([{ text }], 12)).toEqual([{ text: expected }])
})

test('a cut keeps the spans before it and the style of the one that it cuts', () => {
  const line = [{ text: 'one ' }, { text: 'two three', style: { bold: true } }, { text: ' four' }]

  expect(truncate(line, 9)).toEqual([{ text: 'one ' }, { text: 'two …', style: { bold: true } }])
})
