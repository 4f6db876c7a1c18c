import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { takeHead, takeTail } from './preview.js'

test('a text that fits is returned whole as head and tail', () => {
  expect([takeHead('a\nb', 3), takeTail('a\nb', 3)]).toEqual(['a\nb', 'a\nb'])
})

test('the head of a cut text ends with its last whole line', () => {
  expect(takeHead('one\ntwo\nthree', 10)).toBe('one\ntwo\n')
  expect(takeHead('one\r\ntwo\r\nthree', 8)).toBe('one\r\n')
})

test('the head of a cut text keeps a last line that ends exactly at the limit', () => {
  expect(takeHead('one\ntwo\nthree', 7)).toBe('one\ntwo')
})

test('the tail of a cut text starts with its first whole line', () => {
  expect(takeTail('one\ntwo\nthree', 11)).toBe('two\nthree')
  expect(takeTail('one\ntwo\nthree', 9)).toBe('two\nthree')
})

test('the final newline of a text does not count as the start of a line in its tail', () => {
  expect(takeTail('a very long line\n', 5)).toBe('line\n')
})

test('a line longer than the limit is cut before or after a surrogate pair, never inside it', () => {
  expect(takeHead('ab😀cd', 3)).toBe('ab')
  expect(takeTail('ab😀cd', 3)).toBe('cd')
  expect(takeHead('ab😀cd', 4)).toBe('ab😀')
  expect(takeTail('ab😀cd', 4)).toBe('😀cd')
})

test('a cut never exceeds its limit, never splits a surrogate pair and is a part of the text', () => {
  const texts = fc.array(fc.constantFrom('a', '\n', '😀', '\r\n', 'é', '\u0000', '漢'), { maxLength: 60 })
  fc.assert(
    fc.property(texts, fc.nat(40), (pieces, limit) => {
      const text = pieces.join('')
      const head = takeHead(text, limit)
      const tail = takeTail(text, limit)
      expect(head.length).toBeLessThanOrEqual(limit)
      expect(tail.length).toBeLessThanOrEqual(limit)
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(Buffer.from(head + tail).toString()).toBe(head + tail)
      if (head !== '' && head !== text && text.slice(0, limit).includes('\n')) {
        expect(head.endsWith('\n') || text[head.length] === '\n').toBe(true)
      }
    }),
    createPropertyOptions(1_000),
  )
})
