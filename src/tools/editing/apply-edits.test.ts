import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { planEdit } from '../../edits/plan-edit.js'
import { decodeText } from '../../edits/text/encoding.js'
import { changeDecodedText } from '../../edits/text/text-change.js'
import { compareTexts, createUnifiedPatch } from '../../edits/unified-patch.js'
import { joinContent } from '../../shared/file-content.js'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { applyEdits } from './apply-edits.js'

const ENCODINGS = ['utf8', 'utf8 with a byte order mark', 'utf16le', 'latin1'] as const

test('several edits change only their own lines, in any encoding and with any line endings', () => {
  const line = fc.tuple(fc.constantFrom('a', 'é "x"', '  y ', ''), fc.constantFrom('\n', '\r\n', '\r'))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 2, maxLength: 12 }),
      fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ENCODINGS),
      fc.boolean(),
      (lines, chosenIndexes, encoding, hasFinalNewline) => {
        const numberedLines = lines.map(([text, end], index) => [`<${index}>${text}`, end] as const)
        const targets = chosenIndexes.filter((index) => index < numberedLines.length)
        fc.pre(targets.length > 0)
        const render = (change: (text: string, index: number) => string) =>
          numberedLines
            .map(
              ([text, end], index) =>
                change(text, index) + (index < numberedLines.length - 1 || hasFinalNewline ? end : ''),
            )
            .join('')
        const contentBefore = encodeAs(
          render((text) => text),
          encoding,
        )
        const edits = targets.map((index) => ({ oldString: `<${index}>`, newString: `[${index}ü]` }))

        const { content, count } = runSteps(applyEdits('f', decodeText(contentBefore), edits))

        const contentAfter = render((text, index) =>
          targets.includes(index) ? text.replace(/^<(\d+)>/, '[$1ü]') : text,
        )
        expect(Buffer.from(joinContent(content))).toEqual(encodeAs(contentAfter, encoding))
        expect(count).toBe(targets.length)
      },
    ),
    createPropertyOptions(300),
  )
})

test('an edit applied to bytes equals the same edit applied to text', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'e', '\u0301', 'é', '€', '😀', '\n', ' ', '\u00a0'),
    maxLength: 30,
  })
  fc.assert(
    fc.property(
      text,
      fc.nat(),
      fc.nat(),
      text,
      fc.boolean(),
      (content, startSeed, lengthSeed, newString, replaceAll) => {
        const start = startSeed % (content.length + 1)
        const oldString = content.slice(start, start + 1 + (lengthSeed % 8))
        fc.pre(oldString !== '' && oldString !== newString)
        const decodedText = decodeText(Buffer.from(content))
        const plan = runSteps(planEdit(decodedText.text, { oldString, newString, replaceAll }))

        if (plan.kind !== 'found') {
          expect(() => runSteps(applyEdits('f', decodedText, [{ oldString, newString, replaceAll }]))).toThrow()
          return
        }
        const appliedEdits = runSteps(applyEdits('f', decodedText, [{ oldString, newString, replaceAll }]))
        const expected = changeDecodedText(decodedText, plan.changes)
        expect(Buffer.from(joinContent(appliedEdits.content))).toEqual(Buffer.from(expected.bytes))
        expect(appliedEdits.count).toBe(plan.changes.length)
        expect(runSteps(createUnifiedPatch(appliedEdits.changed))).toBe(
          runSteps(createUnifiedPatch(compareTexts(decodedText.text, expected.text))),
        )
      },
    ),
    createPropertyOptions(500),
  )
})

test('a match does not separate a letter from its combining accent', () => {
  const decodedText = decodeText(Buffer.from('cafe\u0301 1'))
  expect(() => runSteps(applyEdits('f', decodedText, [{ oldString: 'cafe', newString: 'x' }]))).toThrow(/not found/)
})

/** Encodes a text. Latin-1 text gets a prefix that is not valid UTF-8, so that its encoding is detected. */
function encodeAs(text: string, encoding: (typeof ENCODINGS)[number]): Buffer {
  if (encoding === 'latin1') return Buffer.from(`ÿÿ${text}`, 'latin1')
  return encoding === 'utf8'
    ? Buffer.from(text)
    : Buffer.from(`\ufeff${text}`, encoding === 'utf16le' ? 'utf16le' : 'utf8')
}
