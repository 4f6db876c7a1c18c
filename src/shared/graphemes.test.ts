import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { graphemesOf, isSimpleText } from './graphemes.js'

const simpleCharacters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isSimpleText)

test('every character of simple text is one column wide and never combines with another', () => {
  const text = simpleCharacters.join('')

  expect(simpleCharacters.length).toBeGreaterThan(1_000)
  expect(simpleCharacters.filter((character) => stringWidth(character) !== 1)).toEqual([])
  expect(Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)).toEqual(simpleCharacters)
  expect([...graphemesOf(text)]).toEqual(simpleCharacters)
})

test.each([
  ['e\u0301a', ['e\u0301', 'a']],
  ['a👩‍👩‍👧b', ['a', '👩‍👩‍👧', 'b']],
  ['漢字', ['漢', '字']],
  ['a\r\nb', ['a', '\r\n', 'b']],
])('%j is split into the characters that people see', (text, characters) => {
  expect([...graphemesOf(text)]).toEqual(characters)
})
