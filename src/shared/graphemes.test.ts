import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { isSimpleText, splitGraphemes } from './graphemes.js'

const segment = (text: string) => Array.from(new Intl.Segmenter().segment(text), (each) => each.segment)
const simpleCharacters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isSimpleText)

test('every character of simple text is one column wide and never combines with another', () => {
  const text = simpleCharacters.join('')

  expect(simpleCharacters.length).toBeGreaterThan(1_000)
  expect(simpleCharacters.filter((character) => stringWidth(character) !== 1)).toEqual([])
  expect(segment(text)).toEqual(simpleCharacters)
  expect([...splitGraphemes(text)]).toEqual(simpleCharacters)
})

test.each([
  ['e\u0301a', ['e\u0301', 'a']],
  ['a👩‍👩‍👧b', ['a', '👩‍👩‍👧', 'b']],
  ['漢字', ['漢', '字']],
  ['a\r\nb', ['a', '\r\n', 'b']],
])('%j is split into the characters that people see', (text, characters) => {
  expect([...splitGraphemes(text)]).toEqual(characters)
})

test.each([
  ['Thai', 'ภาษาไทย'.repeat(700)],
  ['emoji of several code points', '👩‍👩‍👧👍🏽🇩🇪🇫🇷'.repeat(300)],
  ['emoji behind a letter', `x${'👍🏽'.repeat(1_200)}`],
  ['flags behind two letters', `xy${'🇩🇪'.repeat(900)}`],
  ['a character that is longer than a part', `a${'\u0301'.repeat(5_000)}b漢`],
  ['lone surrogates', '\ud83d漢\udc4dé'.repeat(800)],
  ['Chinese', '漢字、かな ok '.repeat(300)],
  ['nothing', ''],
])('long texts have the same characters as in one piece: %s', (_, text) => {
  expect([...splitGraphemes(text)]).toEqual(segment(text))
})
