import { expect, test } from 'vitest'
import { NO_DENIALS, recordDenial, recordSuccess, shouldFallBackToAsking } from './denial-tracking.js'

test('the user is asked after three consecutive denials; an allowed call resets the count', () => {
  const twoDenials = recordDenial(recordDenial(NO_DENIALS))

  expect(shouldFallBackToAsking(twoDenials)).toBe(false)
  expect(shouldFallBackToAsking(recordDenial(twoDenials))).toBe(true)
  expect(recordDenial(recordSuccess(twoDenials))).toEqual({ consecutiveDenials: 1, totalDenials: 3 })
})

test('the user is asked after twenty denials in total', () => {
  let tracking = NO_DENIALS
  for (let count = 0; count < 19; count++) tracking = recordSuccess(recordDenial(tracking))

  expect(shouldFallBackToAsking(tracking)).toBe(false)
  expect(shouldFallBackToAsking(recordSuccess(recordDenial(tracking)))).toBe(true)
})

test('counting a denial does not modify earlier counts', () => {
  recordDenial(NO_DENIALS)
  expect(NO_DENIALS).toEqual({ consecutiveDenials: 0, totalDenials: 0 })
})
