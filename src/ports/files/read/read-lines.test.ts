import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LineOptions } from '../../../contract/ports/files.js'
import { computeContentHash } from '../../../shared/content-hash.js'
import { createPropertyOptions } from '../../../testing/property-runs.js'
import { chooseLineEndFinder, LineRange } from './line-range.js'
import { readLines } from './read-lines.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-lines-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const NO_LIMITS = { maxBytes: 1e9, maxLineBytes: 1e9 }

function readInChunks(content: Buffer, chunkBytes: number, options: LineOptions) {
  const range = new LineRange(options, chooseLineEndFinder(content))
  for (let at = 0; at < content.length; at += chunkBytes) if (!range.take(content.subarray(at, at + chunkBytes))) break
  return range.finish()
}

const lineText = fc.oneof(
  fc.constantFrom('', 'a', 'ab\r', 'a long line of text', 'ਊ\u0a0a', 'é'),
  fc.string({ unit: 'binary-ascii' }),
)
const lineOptions = fc.record({
  offset: fc.integer({ min: 1, max: 8 }),
  limit: fc.integer({ min: 0, max: 8 }),
  maxBytes: fc.constantFrom(0, 5, 20, 1e6),
  maxLineBytes: fc.constantFrom(0, 1, 6, 1e6),
})

/** Computes the expected result by splitting the whole text. */
function computeExpectedLines(content: Buffer, encoding: 'latin1' | 'utf16le', options: LineOptions) {
  const newline = Buffer.from('\n', encoding)
  const texts = content.toString(encoding).split('\n')
  if (texts.at(-1) === '') texts.pop()
  const wholeLines = texts.map((text) => Buffer.from(text, encoding))
  const linesBefore = wholeLines.slice(0, options.offset - 1)
  const start = Math.min(
    content.length,
    linesBefore.reduce((sum, line) => sum + line.length + newline.length, 0),
  )
  const lines: { bytes: Buffer; cutBytes: number }[] = []
  let end = start
  let keptBytes = 0
  let endedBy = 'end'
  for (const [index, line] of wholeLines.slice(options.offset - 1).entries()) {
    const bytes = line.subarray(0, options.maxLineBytes)
    if (index >= options.limit) endedBy = 'limit'
    else if (index > 0 && keptBytes + bytes.length > options.maxBytes) endedBy = 'maxBytes'
    if (endedBy !== 'end') break
    lines.push({ bytes, cutBytes: line.length - bytes.length })
    keptBytes += bytes.length
    end = Math.min(content.length, end + line.length + newline.length)
  }
  const hash = computeContentHash(content.subarray(start, end))
  return { lines, endedBy, hash, bytes: { start, end }, totalLines: endedBy === 'end' ? wholeLines.length : undefined }
}

test('for any chunks and limits, the lines of a file equal those from splitting its whole text', () => {
  fc.assert(
    fc.property(
      fc.array(lineText),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      lineOptions,
      (...drawnValues) => {
        const [texts, endsWithNewline, isWide, half, options] = drawnValues
        const text = texts.join('\n') + (endsWithNewline ? '\n' : '')
        const encoding = isWide ? 'utf16le' : 'latin1'
        const content = Buffer.from(isWide ? `\ufeff${text}` : text, encoding)
        const expected = computeExpectedLines(content, encoding, options)

        const { lines, endedBy, contentHash: hash, bytes, totalLines } = readInChunks(content, half * 2, options)

        expect({ lines, endedBy, bytes, totalLines, hash }).toEqual(expected)
      },
    ),
    createPropertyOptions(2000),
  )
})

test('a file of many chunks is read at any position', async () => {
  const file = join(folder, 'many')
  const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1} ${'x'.repeat(index % 97)}`)
  writeFileSync(file, lines.join('\n'))

  for (const offset of [1, 29_999, 59_990]) {
    const foundLines = await readLines(file, { offset, limit: 20, ...NO_LIMITS })
    expect(foundLines.lines.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      lines.slice(offset - 1, offset + 19),
    )
  }
  expect(await readLines(file, { offset: 60_001, limit: 1, ...NO_LIMITS })).toMatchObject({
    lines: [],
    totalLines: 60_000,
    hasMore: false,
  })
})

test('big-endian UTF-16 text is split at big-endian newlines', () => {
  const content = Buffer.from('\ufeffa\u000ab\u0a0a\nc', 'utf16le').swap16()

  const { lines } = readInChunks(content, 4, { offset: 2, limit: 9, ...NO_LIMITS })

  expect(lines.map(({ bytes }) => Buffer.from(bytes).swap16().toString('utf16le'))).toEqual(['b\u0a0a', 'c'])
})

test('a line of many chunks is truncated, and the lines after it are read', async () => {
  const file = join(folder, 'long')
  writeFileSync(file, `${'x'.repeat(3_000_000)}\nnext\n`)

  const foundLines = await readLines(file, { offset: 1, limit: 2, maxBytes: 1000, maxLineBytes: 10 })

  expect(foundLines.lines.map(({ bytes, cutBytes }) => [bytes.length, cutBytes])).toEqual([
    [10, 2_999_990],
    [4, 0],
  ])
})

test('an empty file has no lines', async () => {
  const file = join(folder, 'empty')
  writeFileSync(file, '')

  expect(await readLines(file, { offset: 1, limit: 1, ...NO_LIMITS })).toMatchObject({ lines: [], totalLines: 0 })
})
