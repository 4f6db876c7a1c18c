import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { decodeText, encodeText } from './encoding.js'
import { changeDecodedText } from './text-change.js'

const toBytes = (...codes: (number | string)[]) =>
  Buffer.concat(codes.map((code) => (typeof code === 'string' ? Buffer.from(code, 'utf8') : Buffer.from([code]))))

test.each([
  ['UTF-8', toBytes('aé€'), 'utf-8', 'aé€'],
  ['UTF-8 with a byte order mark', toBytes(0xef, 0xbb, 0xbf, 'a'), 'utf-8', 'a'],
  ['a UTF-8 byte order mark alone', toBytes(0xef, 0xbb, 0xbf), 'utf-8', ''],
  ['an empty file', toBytes(), 'utf-8', ''],
  ['UTF-16LE', toBytes(0xff, 0xfe, 0x61, 0x00, 0xac, 0x20), 'utf-16le', 'a€'],
  ['UTF-16BE', toBytes(0xfe, 0xff, 0x00, 0x61, 0x20, 0xac), 'utf-16be', 'a€'],
  ['UTF-16LE with an incomplete last character', toBytes(0xff, 0xfe, 0x61, 0x00, 0x62), 'utf-16le', 'a'],
  ['Latin-1', toBytes('caf', 0xe9), 'latin-1', 'café'],
])('the encoding is detected from the bytes: %s', (_, content, encoding, text) => {
  expect(decodeText(content)).toMatchObject({ encoding, text })
})

describe('a character that the encoding lacks', () => {
  test('is refused in Latin-1, with advice', () => {
    expect(() => encodeText('5 €', 'latin-1')).toThrow(
      /Latin-1, which cannot represent "€" \(U\+20AC\).*convert the file to UTF-8/,
    )
  })

  test('is refused in UTF-8 if it is a lone surrogate', () => {
    expect(() => encodeText('a\ud800b', 'utf-8')).toThrow(/U\+D800/)
  })
})

/** Arbitrary bytes: valid UTF-8, byte order marks and anything else. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  fc
    .tuple(fc.constantFrom([0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]), fc.uint8Array({ maxLength: 60 }))
    .map(([mark, body]) => new Uint8Array([...mark, ...body])),
)

test('a change of any file keeps all bytes outside the change and yields the changed text', () => {
  fc.assert(
    fc.property(
      content,
      fc.nat(),
      fc.nat(),
      fc.constantFrom('', 'x', 'ü\r\n', 'abc\n'),
      (originalBytes, firstSeed, secondSeed, addedText) => {
        const decodedText = decodeText(originalBytes)
        const [start, end] = pickCharacterBoundaries(decodedText.text, firstSeed, secondSeed)
        const changedText = changeDecodedText(decodedText, [{ start, end, text: addedText }])

        const startByte = measureBytes(decodedText.text.slice(0, start), decodedText.encoding) + decodedText.bomLength
        const endByte = measureBytes(decodedText.text.slice(0, end), decodedText.encoding) + decodedText.bomLength
        const insertedBytes = encodeText(addedText, decodedText.encoding)
        expect(Buffer.from(changedText.bytes)).toEqual(
          Buffer.concat([originalBytes.subarray(0, startByte), insertedBytes, originalBytes.subarray(endByte)]),
        )
        expect(changedText.text).toBe(decodedText.text.slice(0, start) + addedText + decodedText.text.slice(end))
      },
    ),
    createPropertyOptions(500),
  )
})

function measureBytes(text: string, encoding: string): number {
  if (encoding === 'utf-8') return Buffer.from(text).length
  return text.length * (encoding === 'latin-1' ? 1 : 2)
}

/** Chooses two offsets that do not split a surrogate pair. */
function pickCharacterBoundaries(text: string, firstSeed: number, secondSeed: number): readonly [number, number] {
  const ends = [0]
  for (const character of text) ends.push((ends.at(-1) ?? 0) + character.length)
  const [a = 0, b = 0] = [ends[firstSeed % ends.length], ends[secondSeed % ends.length]]
  return a < b ? [a, b] : [b, a]
}

test('several changes to one text are applied together', () => {
  const decodedText = decodeText(Buffer.from('aé€😀z'))
  const changedText = changeDecodedText(decodedText, [
    { start: 0, end: 1, text: 'A' },
    { start: 3, end: 5, text: '' },
    { start: 6, end: 6, text: '!' },
  ])
  expect(Buffer.from(changedText.bytes).toString()).toBe('Aé€z!')
  expect(changedText.text).toBe('Aé€z!')
})
