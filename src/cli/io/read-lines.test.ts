import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { type InputLine, readLines } from './read-lines.js'

async function* splitBytes(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) {
    yield bytes.subarray(at, at + size)
    at += size
  }
  yield bytes.subarray(at)
}

async function linesOf(
  text: string | Uint8Array,
  sizes: readonly number[] = [],
  maxBytes?: number,
): Promise<InputLine[]> {
  const options = maxBytes === undefined ? {} : { maxBytes }
  const lines: InputLine[] = []
  for await (const line of readLines(splitBytes(Buffer.from(text), sizes), options)) lines.push(line)
  return lines
}

test('the lines that are read do not depend on how the bytes are split into chunks', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n\ufeff]/g, '')),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(5)), async (expected, sizes) => {
      const lines = await linesOf(expected.map((line) => `${line}\n`).join(''), sizes)
      expect(lines.map((line) => ('text' in line ? line.text : line.problem))).toEqual(expected)
      expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1))
    }),
    createPropertyOptions(),
  )
})

test('the last line needs no line feed; carriage returns and a byte order mark are removed', async () => {
  expect(await linesOf('\ufeffa\r\n\nb')).toEqual([
    { number: 1, bytes: 5, text: 'a' },
    { number: 2, bytes: 0, text: '' },
    { number: 3, bytes: 1, text: 'b' },
  ])
})

test('invalid UTF-8 and lines that are too long are reported, and reading continues', async () => {
  expect(await linesOf(Buffer.from('\xff\n123456\n12345\n', 'latin1'), [3, 3], 5)).toEqual([
    { number: 1, bytes: 1, problem: 'is not valid UTF-8' },
    { number: 2, bytes: 6, problem: 'is longer than 5 bytes' },
    { number: 3, bytes: 5, text: '12345' },
  ])
})
