import { expect, test } from 'vitest'
import { withinTime } from './within-time.js'

test('work that is done in time returns its result or throws its own error', () => {
  expect(withinTime(1_000, () => withinTime(1_000, () => 'done'))).toBe('done')
  expect(() =>
    withinTime(1_000, () => {
      throw new TypeError('own')
    }),
  ).toThrow(new TypeError('own'))
})

test('a regular expression with catastrophic backtracking is interrupted', () => {
  expect(() => withinTime(20, () => /^(a+)+$/.test(`${'a'.repeat(40)}b`))).toThrow('timed out')
})
