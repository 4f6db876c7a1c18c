import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText } from '../shared/text-edit/decode-text.js'
import { propertyRuns } from '../testing/property-runs.js'
import { applyEdits } from './apply-edits.js'

const ENCODINGS = ['utf8', 'utf8 with a mark', 'utf16le', 'latin1'] as const

test('several edits change just their lines, in any encoding and with any line endings', () => {
  const line = fc.tuple(fc.constantFrom('a', 'é "x"', '  y ', ''), fc.constantFrom('\n', '\r\n', '\r'))
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 2, maxLength: 12 }),
      fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ENCODINGS),
      fc.boolean(),
      (lines, chosen, encoding, hasFinalNewline) => {
        const numbered = lines.map(([text, end], index) => [`<${index}>${text}`, end] as const)
        const targets = chosen.filter((index) => index < numbered.length)
        fc.pre(targets.length > 0)
        const rendered = (change: (text: string, index: number) => string) =>
          numbered
            .map(
              ([text, end], index) => change(text, index) + (index < numbered.length - 1 || hasFinalNewline ? end : ''),
            )
            .join('')
        const before = bytesOf(
          rendered((text) => text),
          encoding,
        )
        const edits = targets.map((index) => ({ oldString: `<${index}>`, newString: `[${index}ü]` }))

        const { bytes, count } = applyEdits('f', decodeText(before), edits)

        const after = rendered((text, index) => (targets.includes(index) ? text.replace(/^<(\d+)>/, '[$1ü]') : text))
        expect(Buffer.from(bytes)).toEqual(bytesOf(after, encoding))
        expect(count).toBe(targets.length)
      },
    ),
    propertyRuns(300),
  )
})

/** Latin-1 begins with bytes that are no UTF-8, so that it is told apart. */
function bytesOf(text: string, encoding: (typeof ENCODINGS)[number]): Buffer {
  if (encoding === 'latin1') return Buffer.from(`ÿÿ${text}`, 'latin1')
  return encoding === 'utf8'
    ? Buffer.from(text)
    : Buffer.from(`\ufeff${text}`, encoding === 'utf16le' ? 'utf16le' : 'utf8')
}
