import { expect, test } from 'vitest'
import { ModelError } from '../../contract/model/model-error.js'
import { RetryPolicy } from './retry-policy.js'

const overloadedError = new ModelError('overloaded', 'Overloaded.')
const serverError = new ModelError('server_error', 'Broken.')

test('retry delays vary between half and full length, and have an upper limit', () => {
  for (const [random, expectedDelays] of [
    [0, [250, 500, 1000, 2000, 4000, 8000, 16000]],
    [1, [500, 1000, 2000, 4000, 8000, 16000, 32000]],
  ] as const) {
    const policy = new RetryPolicy(() => random)
    const steps = Array.from({ length: 7 }, () => policy.decideAfter(serverError))
    expect(steps.map((step) => (step.type === 'wait' ? step.delayMs : step.type))).toEqual(expectedDelays)
  }
})

test('a delay set by the provider is never shortened', () => {
  for (const random of [0, 0.5, 1]) {
    const policy = new RetryPolicy(() => random)
    const step = policy.decideAfter(new ModelError('rate_limited', 'Slow.', { retryAfterMs: 20_000 }))
    expect(step.type === 'wait' && step.delayMs >= 20_000 && step.delayMs <= 22_000).toBe(true)
  }
})

test('three overload errors switch to the fallback model only if they are in a row', () => {
  const policy = new RetryPolicy(() => 0)
  const types = [overloadedError, overloadedError, serverError, overloadedError, overloadedError, overloadedError].map(
    (error) => policy.decideAfter(error).type,
  )
  expect(types).toEqual(['wait', 'wait', 'wait', 'wait', 'wait', 'change_model'])
})

test('the fallback model has its own retries', () => {
  const policy = new RetryPolicy(() => 0)
  for (let tryCount = 0; tryCount < 7; tryCount++) policy.decideAfter(serverError)
  expect(policy.decideAfter(serverError)).toMatchObject({ type: 'change_model', fallback: { type: 'give_up' } })

  policy.reset()

  expect(policy.decideAfter(serverError)).toMatchObject({ type: 'wait', attempt: 1 })
})

test('permanent errors are not retried', () => {
  const step = new RetryPolicy(() => 0).decideAfter(new ModelError('unauthorised', 'No key.'))
  expect(step).toEqual({ type: 'give_up', message: 'No key.' })
})
