import { expect, test } from 'vitest'
import { softWrap } from './soft-wrap.js'
import { type StyledLine, textOfLine } from './styled-line.js'
import { widthOf } from './text-width.js'

function wrap(line: StyledLine, width: number): { text: string; rows: string[] } {
  const { line: wrapped, rows } = softWrap(line, width)
  return { text: textOfLine(wrapped), rows: rows.map((row) => textOfLine(row).trimEnd()) }
}

test('spaces up to the margin make the terminal wrap between words', () => {
  expect(wrap([{ text: 'one two three four' }], 10)).toEqual({
    text: 'one two   three four',
    rows: ['one two', 'three four'],
  })
})

test('a line that fits is not changed', () => {
  const line = [{ text: 'one two' }]
  expect(softWrap(line, 7).line).toBe(line)
})

test('a word of several styles is not broken between them, and its end does not touch the next word', () => {
  const line = [{ text: 'the ' }, { text: 'bold', style: { bold: true } }, { text: ', and more' }]
  expect(wrap(line, 9)).toEqual({ text: 'the      bold,    and more', rows: ['the', 'bold,', 'and more'] })
})

test('rows after the first start below the text of a list item', () => {
  const line: StyledLine = [{ text: '1. ', prefix: 'space' }, { text: 'one two three' }]
  expect(wrap(line, 11)).toEqual({ text: '1. one two    three', rows: ['1. one two', '   three'] })
})

test('a word that is longer than a row is copied as it is', () => {
  const address = 'https://example.com/a/long/address'
  const { text, rows } = wrap([{ text: '• ', prefix: 'space' }, { text: `see ${address} for more` }], 20)
  expect(text).toContain(address)
  expect(rows).toEqual(['• see https://exampl', 'e.com/a/long/address', ' for more'])
})

test('wide characters are not split, and get no spaces between them', () => {
  const { text, rows } = wrap([{ text: '漢字漢字漢字 ok' }], 5)
  expect(text.replace(/ +/g, ' ')).toBe('漢字漢字漢字 ok')
  expect(rows.every((row) => widthOf(row) <= 5)).toBe(true)
  expect(rows.slice(0, 3)).toEqual(['漢字', '漢字', '漢字'])
})
