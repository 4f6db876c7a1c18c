import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../shared/steps.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { planEdit } from './plan-edit.js'
import { type DecodedText, decodeText, encodeText, type TextEncoding } from './text/encoding.js'
import { changeDecodedText } from './text/text-change.js'

const BYTE_ORDER_MARKS: Readonly<Record<string, readonly number[]>> = {
  'utf-8': [],
  'utf-8 with a byte order mark': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
  'latin-1': [],
}

const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', 'é', 'ÿ', '"', '}', '.'), maxLength: 6 })
const ending = fc.constantFrom('\n', '\r\n', '\r')
const lines = fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 12 })

/** Files with mixed or uniform line endings in any encoding; the last line may have no ending. */
const file: fc.Arbitrary<File> = fc.record({
  kind: fc.constantFrom(...Object.keys(BYTE_ORDER_MARKS)),
  lines: fc.oneof(
    lines,
    ending.chain((onlyEnding) => lines.map((all) => all.map(([text]) => [text, onlyEnding] as [string, string]))),
  ),
  hasFinalNewline: fc.boolean(),
})

interface File {
  readonly kind: string
  readonly lines: readonly (readonly [string, string])[]
  readonly hasFinalNewline: boolean
}

function openFile({ kind, lines: all, hasFinalNewline }: File): DecodedText {
  const text = all.map(([content, end], index) =>
    index === all.length - 1 && !hasFinalNewline ? content : content + end,
  )
  const encoding = kind.startsWith('utf-8') ? 'utf-8' : (kind as TextEncoding)
  // A byte that is invalid in UTF-8 forces Latin-1.
  const prefix = encoding === 'latin-1' ? 'ÿÿ' : ''
  return decodeText(
    Buffer.concat([Buffer.from(BYTE_ORDER_MARKS[kind] ?? []), encodeText(prefix + text.join(''), encoding)]),
  )
}

const fold = (text: string) => text.replace(/\r\n?/g, '\n')

test('an edit changes only the range of the old text and yields the requested text', () => {
  fc.assert(
    fc.property(
      file,
      fc.nat(),
      fc.nat(),
      fc.array(line, { maxLength: 4 }),
      (shape, firstSeed, secondSeed, addedText) => {
        const decodedText = openFile(shape)
        const foldedText = fold(decodedText.text)
        const firstOffset = firstSeed % (foldedText.length + 1)
        const second = secondSeed % (foldedText.length + 1)
        const oldString = foldedText.slice(Math.min(firstOffset, second), Math.max(firstOffset, second))
        fc.pre(oldString !== '')
        const newString = addedText.join('\n')

        const plan = runSteps(planEdit(decodedText.text, { oldString, newString }))

        // The old text is a slice of the file, so it must be found, perhaps more than once.
        if (plan.kind === 'ambiguous') return
        if (plan.kind === 'missing') throw new Error('not found')
        const [change] = plan.changes
        const changedText = changeDecodedText(decodedText, plan.changes)
        const { start = 0, end = 0, text = '' } = change ?? {}
        const bytesOf = (encodedText: string) => encodeText(encodedText, decodedText.encoding).length
        const bytesBefore = decodedText.bomLength + bytesOf(decodedText.text.slice(0, start))
        const bytesAfter = bytesOf(decodedText.text.slice(end))
        expect(Buffer.from(changedText.bytes.subarray(0, bytesBefore))).toEqual(
          Buffer.from(decodedText.bytes.subarray(0, bytesBefore)),
        )
        expect(Buffer.from(changedText.bytes.subarray(changedText.bytes.length - bytesAfter))).toEqual(
          Buffer.from(decodedText.bytes.subarray(decodedText.bytes.length - bytesAfter)),
        )
        expect(fold(decodedText.text.slice(start, end))).toBe(oldString)
        expect(fold(text)).toBe(newString)
        const allowedEndings = new Set(['\n', ...endingsOf(decodedText.text)])
        // A lone CR and an LF that become adjacent merge into one line ending.
        if (allowedEndings.has('\r')) allowedEndings.add('\r\n')
        expect(endingsOf(changedText.text).filter((lineEnding) => !allowedEndings.has(lineEnding))).toEqual([])
      },
    ),
    createPropertyOptions(1_000),
  )
})

function endingsOf(text: string): readonly string[] {
  return text.match(/\r\n?|\n/g) ?? []
}

/** Lines that are never empty: an empty line could merge two line endings into one. */
const fullLines = lines.map((all) => all.map(([content, end]) => [`k${content}`, end] as const))

test('lines that an edit keeps stay byte-identical, with any line ending', () => {
  fc.assert(
    fc.property(fullLines, fc.nat(), line, (all, at, addedLine) => {
      const text = all.map(([content, end]) => content + end).join('')
      const contents = all.map(([content]) => content)
      const insertIndex = at % (contents.length + 1)
      const newLines = [...contents.slice(0, insertIndex), `new${addedLine}`, ...contents.slice(insertIndex)]

      const plan = runSteps(
        planEdit(text, { oldString: `${contents.join('\n')}\n`, newString: `${newLines.join('\n')}\n` }),
      )

      if (plan.kind !== 'found') throw new Error(plan.kind)
      const result = plan.changes[0]?.text ?? ''
      const prefix = all.slice(0, insertIndex).map(([content, end]) => content + end)
      const suffix = all.slice(insertIndex).map(([content, end]) => content + end)
      expect(result.startsWith(prefix.join(''))).toBe(true)
      expect(result.endsWith(suffix.join(''))).toBe(true)
    }),
    createPropertyOptions(),
  )
})

test('a loose match that is not unique is never applied', () => {
  const looseningFunctions = [
    (text: string) => text.replace(/$/gm, ' '),
    (text: string) => text.replace(/^/gm, '  '),
    (text: string) => text.replace(/"/g, '“'),
    (text: string) => JSON.stringify(text).slice(1, -1),
  ]
  const block = fc.array(fc.string({ unit: fc.constantFrom('x', '"', 'y', ' '), minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(block, fc.nat(looseningFunctions.length - 1), (blockLines, loosenIndex) => {
      const repeatedText = blockLines.map((blockLine) => `k${blockLine}k`).join('\n')
      const text = `${repeatedText}\n--\n${repeatedText}\n`
      const looseText = looseningFunctions[loosenIndex]?.(repeatedText) ?? repeatedText
      expect(runSteps(planEdit(text, { oldString: looseText, newString: 'changed' })).kind).not.toBe('found')
    }),
    createPropertyOptions(),
  )
})
