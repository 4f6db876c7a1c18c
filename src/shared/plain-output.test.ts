import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { toPlainOutput } from './plain-output.js'

test.each([
  ['\u001b[31mred\u001b[0m and \u001b[1;4mbold\u001b[m', 'red and bold'],
  ['\u001b]0;a title\u0007text', 'text'],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b(Bplain\u001b=\u001b>', 'plain'],
  ['\u001b[?25lhidden cursor\u001b[?25h', 'hidden cursor'],
  ['\u009b32mgreen', 'green'],
  ['\u001b]0;never ends\nnext line', '\nnext line'],
  ['ends in half\u001b[3', 'ends in half'],
])('escape sequences are removed: %j', (text, plainText) => expect(toPlainOutput(text)).toBe(plainText))

describe('overwritten lines', () => {
  test.each([
    ['10%\r50%\r100%\n', '100%\n'],
    ['10%\r100%\r', '100%'],
    ['one\r\ntwo\r\n', 'one\ntwo\n'],
    ['10%\r\u001b[Kdone\nnext', 'done\nnext'],
    ['\r\n', '\n'],
  ])('are reduced to their last state: %j', (text, plainText) => expect(toPlainOutput(text)).toBe(plainText))
})

test('a letter printed over itself becomes one letter', () => {
  expect(toPlainOutput('N\bNA\bAM\bME\bE\n_\bx')).toBe('NAME\nx')
})

test('a lone escape character and other control characters are made visible; tabs and line ends stay', () => {
  expect(toPlainOutput('a lone escape\u001b')).toBe('a lone escape\u241b')
  expect(toPlainOutput('a\0b\u0007\tc\n\u007f')).toBe('a\u2400b\u2407\tc\n\u2421')
})

test('the output contains no control characters, and converting it again changes nothing', () => {
  const characters = fc.constantFrom('\u001b', '[', ']', '3', 'm', '\r', '\n', '\b', '\0', 'x', 'é', '🙂', '\u0007')
  fc.assert(
    fc.property(fc.array(characters), (parts) => {
      const plainText = toPlainOutput(parts.join(''))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be gone
      expect(plainText).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/)
      expect(toPlainOutput(plainText)).toBe(plainText)
    }),
    createPropertyOptions(),
  )
})

// With quadratic time, this would take hours.
test('a million carriage returns take linear time', () => {
  expect(toPlainOutput(`a${'\r'.repeat(1_000_000)}b`)).toBe('b')
  expect(toPlainOutput(`a${'\r'.repeat(1_000_000)}\nb`)).toBe('a\nb')
})

test('a text of several megabytes keeps its lines, and escape sequences in it are visible', () => {
  const text = toPlainOutput('a\r\nb\rc\u001b[31m\n'.repeat(200_000))

  expect(text).toBe('a\nb\nc\u241b[31m\n'.repeat(200_000))
})
