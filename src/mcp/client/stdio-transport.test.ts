import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { MessageLines } from './stdio-transport.js'

function readChunks(chunks: readonly Buffer[], maxBytes = 1_000) {
  const lines: string[] = []
  let noiseBytes = 0
  let tooLongCount = 0
  const reader = new MessageLines({
    maxBytes,
    onLine: (line) => lines.push(line),
    onNoise: (bytes) => {
      noiseBytes += bytes
    },
    onTooLong: () => {
      tooLongCount++
    },
  })
  for (const chunk of chunks) reader.push(chunk)
  return { lines, noise: noiseBytes, tooLong: tooLongCount }
}

test('lines of a server that start like JSON are returned, and the bytes of other lines are counted', () => {
  expect(readChunks([Buffer.from('hello\n  {"a":1}\r\n\n[1]\nmore')])).toEqual({
    lines: ['{"a":1}\r', '[1]'],
    noise: 9,
    tooLong: 0,
  })
})

test('a server line that is too long is dropped, and the next line is read', () => {
  const longMessage = Buffer.from(`{${'x'.repeat(50)}`)

  expect(readChunks([longMessage, longMessage, Buffer.from('}\n{}\n')], 60)).toEqual({
    lines: ['{}'],
    noise: 1,
    tooLong: 1,
  })
})

test('the lines of a server do not depend on chunk boundaries, even inside a character', () => {
  const line = fc.oneof(fc.json(), fc.string({ unit: 'grapheme' }), fc.constant('{"ü":"🙂"}'))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({ max: 40 })), (lines, cutOffsets) => {
      const wholeInput = Buffer.from(lines.map((each) => `${each.replaceAll('\n', ' ')}\n`).join(''))
      const chunks: Buffer[] = []
      let start = 0
      for (const cut of cutOffsets) {
        chunks.push(wholeInput.subarray(start, start + cut))
        start += cut
      }
      chunks.push(wholeInput.subarray(start))

      expect(readChunks(chunks)).toEqual(readChunks([wholeInput]))
    }),
    createPropertyOptions(300),
  )
})
