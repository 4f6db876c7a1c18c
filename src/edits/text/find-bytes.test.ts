import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { findBytes } from './find-bytes.js'

test('returns the same position as Buffer.indexOf', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'e', '7', 'é', '\n'), maxLength: 40 })
  fc.assert(
    fc.property(text, fc.nat(80), fc.nat(4), fc.nat(80), (written, start, length, from) => {
      const bytes = Buffer.from(written)
      const at = Math.min(start, bytes.length)
      const searched = Buffer.from(bytes.subarray(at, at + 1 + length))
      fc.pre(searched.length > 0)
      const place = Math.min(from, bytes.length)
      expect(findBytes(bytes, searched, place)).toBe(bytes.indexOf(searched, place))
    }),
    propertyRuns(1_000),
  )
})

test('finds a sequence whose first bytes also occur at thousands of other positions', () => {
  const bytes = Buffer.from(`${'7a '.repeat(5_000)}7b`)
  expect(findBytes(bytes, Buffer.from('7b'))).toBe(15_000)
  expect(findBytes(bytes, Buffer.from('7c'))).toBe(-1)
})
