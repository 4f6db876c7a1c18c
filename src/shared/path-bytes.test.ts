import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { toPathBytes, toPathText } from './path-bytes.js'

const name = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => new Uint8Array(Buffer.from(text))),
  fc.stringMatching(/^[\\xf5c0\n]{1,12}$/).map((text) => new Uint8Array(Buffer.from(text))),
)

test('any bytes of a name convert to one line of text and back', () => {
  fc.assert(
    fc.property(name, (bytes) => {
      fc.pre(!bytes.includes(0))
      const text = toPathText(bytes)

      expect(Buffer.from(toPathBytes(text, 'linux'))).toEqual(Buffer.from(bytes))
      expect(text).not.toMatch(/\n/)
    }),
    createPropertyOptions(1000),
  )
})

test('an escape never decodes to a separator, a dot or other ordinary text', () => {
  for (const path of ['/a/\\x2e\\x2e/b', '/a\\x2fb', '/a/\\x61', '/a/\\x00', '/a/\\xe2\\x82\\xac'])
    expect(toPathBytes(path, 'linux')).toBe(path)
})

test('valid UTF-8 stays unchanged, except for control characters and text that looks like an escape', () => {
  expect(['grün €', 'a\\b', 'tab\t', 'is\\x41', 'is\\xff'].map((text) => toPathText(Buffer.from(text)))).toEqual([
    'grün €',
    'a\\b',
    'tab\\x09',
    'is\\x5cx41',
    'is\\x5cxff',
  ])
  expect(toPathText(Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]))).toBe('a\\xff\\xe2\\x82b')
})

test('a backslash is a separator on Windows, not an escape', () => {
  expect(toPathBytes('C:\\xff', 'win32')).toBe('C:\\xff')
})
