import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { isSameJson } from './is-same-json.js'

test('isSameJson agrees with isDeepStrictEqual on parsed JSON', () => {
  const key = fc.constantFrom('a', 'b', '__proto__', 'toString', '0')
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1, '', 'a', '0'),
      fc.array(tie('json'), { maxLength: 2 }),
      fc.dictionary(key, tie('json'), { maxKeys: 2 }),
    ),
  }))
  const parsedValues = json.map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  fc.assert(
    fc.property(parsedValues, parsedValues, (a, b) => {
      expect(isSameJson(a, b)).toBe(isDeepStrictEqual(a, b))
      expect(isSameJson(a, structuredClone(a))).toBe(true)
    }),
    createPropertyOptions(2_000),
  )
})

test('isSameJson ignores the order of keys, and distinguishes a list from an object', () => {
  expect(isSameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
  expect(isSameJson({ 0: 'a' }, ['a'])).toBe(false)
})
