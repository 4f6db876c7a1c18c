import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { countNewlines } from './count-newlines.js'

test('countNewlines counts the newlines before a position at any alignment and length of the bytes', () => {
  const byte = fc.constantFrom(0x0a, 0x0b, 0x8a, 0x09, 0x00, 0xff)
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.nat(5), fc.nat(60), (values, offset, end) => {
      const bytes = Uint8Array.from(values).subarray(Math.min(offset, values.length))
      const stopIndex = Math.min(end, bytes.length)
      expect(countNewlines(bytes, stopIndex)).toBe(
        [...bytes.subarray(0, stopIndex)].filter((value) => value === 0x0a).length,
      )
    }),
    createPropertyOptions(500),
  )
})

test('countNewlines counts the newlines of a file that contains nothing else', () => {
  expect(countNewlines(new Uint8Array(10_007).fill(0x0a), 10_003)).toBe(10_003)
})
