import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './system-clock.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the system clock sleeps for the given time, even longer than the limit of a timer', async () => {
  const { signal } = new AbortController()
  const MONTH_MS = 30 * 24 * 60 * 60 * 1000
  let isAwake = false
  systemClock.sleep(MONTH_MS, { signal }).then(() => {
    isAwake = true
  })

  await vi.advanceTimersByTimeAsync(MONTH_MS - 1)
  const wasAwake = isAwake
  await vi.advanceTimersByTimeAsync(1)

  expect([wasAwake, isAwake]).toEqual([false, true])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a sleep ends without an error when the signal is aborted', async () => {
  const controller = new AbortController()
  const sleepPromise = systemClock.sleep(1_000, controller)

  controller.abort()
  await sleepPromise
  await systemClock.sleep(1_000, controller)

  expect(vi.getTimerCount()).toBe(0)
})
