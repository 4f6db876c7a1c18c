import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COMMAND_PREVIEW_CHARS } from '../contract/limits.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { createPreview } from './preview.js'
import { ByteWindow } from './spill.js'

function createWindow(bytes: Uint8Array, chunkLength: number): ByteWindow {
  const window = new ByteWindow()
  for (let at = 0; at < bytes.length; at += chunkLength) window.push(bytes.subarray(at, at + chunkLength))
  return window
}

/** Removes the number of omitted characters, which the preview of a long stream does not state. */
function removeCount(preview: string): string {
  return preview.replace(/\[… [\d,]+ characters omitted …\]/, '[… middle omitted …]')
}

test('a short output stream is shown whole, with its byte order mark and NULs', () => {
  expect(createWindow(Buffer.from('\ufeffa\0b😀'), 1).preview(false)).toBe('\ufeffa\0b😀')
})

test('an incomplete last character is dropped if the stream continued, and becomes U+FFFD otherwise', () => {
  const bytes = Buffer.from('ab😀')

  expect(createWindow(bytes.subarray(0, 4), 4).preview(true)).toBe('ab')
  expect(createWindow(bytes.subarray(0, 4), 4).preview(false)).toBe('ab\ufffd')
})

const piece = fc.oneof(
  fc.constantFrom('a', 'line\n', '😀', '漢', 'é', '\0', '\r\n').map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
)
const streams = fc
  .array(fc.tuple(piece, fc.integer({ min: 1, max: 9_000 })), { minLength: 1, maxLength: 6 })
  .map((parts) => Buffer.concat(parts.flatMap(([bytes, count]) => Array<Buffer>(count).fill(bytes))))

test('for any bytes and chunk length, the preview of a stream equals the preview of its whole text', () => {
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 9_000 }), (bytes, chunkLength) => {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

      const preview = createWindow(bytes, chunkLength).preview(false)

      expect(removeCount(preview)).toBe(removeCount(createPreview(text, COMMAND_PREVIEW_CHARS)))
    }),
    createPropertyOptions(),
  )
})
