import { expect, test } from 'vitest'
import { ProgressLimiter } from './request-limits.js'

test('a progress limiter allows a burst and then twenty reports per second', () => {
  let now = 0
  const limiter = new ProgressLimiter(() => now)
  const takeAll = () => Array.from({ length: 1_000 }, () => limiter.take()).filter(Boolean).length

  expect(takeAll()).toBe(100)
  now += 1_000
  expect(takeAll()).toBe(20)
  now += 1e9
  expect(takeAll()).toBe(100)
})
