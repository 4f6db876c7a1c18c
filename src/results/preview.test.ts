import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PREVIEW_CHARS } from '../contract/limits.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { createPreview } from './preview.js'

test('a preview shows a short text whole', () => {
  const text = 'x'.repeat(PREVIEW_CHARS)

  expect(createPreview(text)).toBe(text)
})

test('a preview shows the first and last lines of a long text, with the size of the gap', () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `line ${String(i).padStart(4, '0')}\n`)

  const preview = createPreview(lines.join(''))

  expect(preview).toBe(`${lines.slice(0, 150).join('')}[… 8,000 characters omitted …]\n${lines.slice(950).join('')}`)
})

test('a preview shows the first 1,500 and last 500 characters of a single long line', () => {
  const preview = createPreview('a'.repeat(2_000) + 'b'.repeat(2_000))

  expect(preview).toBe(`${'a'.repeat(1_500)}\n[… 2,000 characters omitted …]\n${'b'.repeat(500)}`)
})

test('a preview without its gap line never exceeds its size, and never contains half a character', () => {
  const pieces = fc.constantFrom('😀', 'a', '\n', 'some words ', '漢字', '\r\n')
  const texts = fc.array(fc.tuple(pieces, fc.integer({ min: 1, max: 900 })), { maxLength: 12 })
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.map(([piece, count]) => piece.repeat(count)).join('')

      const preview = createPreview(text)

      const gap =
        text.length <= PREVIEW_CHARS ? '' : (/\n?\[… [\d,]+ characters omitted …\]\n/.exec(preview)?.[0] ?? '')
      expect(preview.length - gap.length).toBeLessThanOrEqual(PREVIEW_CHARS)
      expect(Buffer.from(preview).toString()).toBe(preview)
    }),
    createPropertyOptions(),
  )
})
