import { expect, test } from 'vitest'
import { NO_DENIALS, recordDenial, recordSuccess, shouldFallBackToAsking } from './denial-tracking.js'

test('three denials in a row hand over to a person, and a success in between starts the row anew', () => {
  const two = recordDenial(recordDenial(NO_DENIALS))

  expect(shouldFallBackToAsking(two)).toBe(false)
  expect(shouldFallBackToAsking(recordDenial(two))).toBe(true)
  expect(recordDenial(recordSuccess(two))).toEqual({ consecutiveDenials: 1, totalDenials: 3 })
})

test('twenty denials in all hand over even where none follow each other', () => {
  let tracking = NO_DENIALS
  for (let count = 0; count < 19; count++) tracking = recordSuccess(recordDenial(tracking))

  expect(shouldFallBackToAsking(tracking)).toBe(false)
  expect(shouldFallBackToAsking(recordSuccess(recordDenial(tracking)))).toBe(true)
})

test('counting changes nothing that was counted before', () => {
  recordDenial(NO_DENIALS)
  expect(NO_DENIALS).toEqual({ consecutiveDenials: 0, totalDenials: 0 })
})
