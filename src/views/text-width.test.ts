import stringWidth from 'string-width'
import { afterEach, expect, test } from 'vitest'
import { countWideUnits, hasOnlySingleUnits, isSimpleText, segmentGraphemes } from '../shared/graphemes.js'
import { setAmbiguousWidth, truncate, widthOf } from './text-width.js'

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

afterEach(() => setAmbiguousWidth(1))

test('units that are not segmented are characters of their own, of the width that string-width measures', () => {
  const units = Array.from({ length: 0xd7a4 }, (_, code) => String.fromCharCode(code)).concat(
    Array.from({ length: 0x60 }, (_, index) => String.fromCharCode(0xff01 + index)),
  )
  const singleUnits = units.filter(hasOnlySingleUnits)
  const wrongUnits = singleUnits.filter((unit) => stringWidth(unit) !== unit.length + countWideUnits(unit))

  expect(wrongUnits).toEqual([])
  expect([...segmentGraphemes(singleUnits.join(''))]).toHaveLength(singleUnits.length)
  expect(units.filter(isSimpleText).every(hasOnlySingleUnits)).toBe(true)
})

test.each(['漢字、かな', '한국어', 'ภาษาไทย', 'हिन्दी', 'e\u0301', '👩‍👩‍👧 ok', '漢\ufe00字', 'a漢é👍🏽', '±Ω漢', ''])(
  'the width of %j is the one that string-width measures',
  (text) => {
    expect(widthOf(text)).toBe(stringWidth(text))
    setAmbiguousWidth(2)
    expect(widthOf(text)).toBe(stringWidth(text, { ambiguousIsNarrow: false }))
  },
)
