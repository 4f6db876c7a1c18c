import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { findBytes } from './find-bytes.js'

test('findBytes returns the same position as Buffer.indexOf', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'e', '7', 'é', '\n'), maxLength: 40 })
  fc.assert(
    fc.property(text, fc.nat(80), fc.nat(4), fc.nat(80), (content, startSeed, length, fromSeed) => {
      const bytes = Buffer.from(content)
      const start = Math.min(startSeed, bytes.length)
      const sequence = Buffer.from(bytes.subarray(start, start + 1 + length))
      fc.pre(sequence.length > 0)
      const from = Math.min(fromSeed, bytes.length)
      expect(runSteps(findBytes(bytes, sequence, from))).toBe(bytes.indexOf(sequence, from))
    }),
    createPropertyOptions(1_000),
  )
})

test('findBytes finds a sequence whose first bytes also occur at thousands of other positions', () => {
  const bytes = Buffer.from(`${'7a '.repeat(5_000)}7b`)
  expect(runSteps(findBytes(bytes, Buffer.from('7b')))).toBe(15_000)
  expect(runSteps(findBytes(bytes, Buffer.from('7c')))).toBe(-1)
})
