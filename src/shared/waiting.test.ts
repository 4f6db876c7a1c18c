import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { delay, delayInBackground, isDoneWithin, raceWithAbort, waitAtMost, waitUnlessAborted } from './waiting.js'

const NEVER_SETTLED = new Promise<never>(() => {})

function countListeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

/** The number of timers that keep the process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

describe('delay', () => {
  test('ends early when the signal is aborted, before or during the wait', async () => {
    await delay(100_000, AbortSignal.abort())
    const controller = new AbortController()
    const delayPromise = delay(100_000, controller.signal)
    controller.abort()
    await delayPromise
    expect(countListeners(controller.signal)).toBe(0)
  })
})

describe('delayInBackground', () => {
  test('waits without keeping the process alive', async () => {
    const timersBefore = countTimers()
    const delayPromise = delayInBackground(5)
    expect(countTimers()).toBe(timersBefore)
    await delayPromise
  })
})

describe('waitAtMost', () => {
  test('returns the result of work that is done in time, and leaves no timer or listener', async () => {
    const { signal } = new AbortController()
    const timersBefore = countTimers()
    expect(await waitAtMost(100_000, Promise.resolve(undefined), signal)).toEqual({ value: undefined })
    await expect(waitAtMost(100_000, Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    expect(countListeners(signal)).toBe(0)
    expect(countTimers()).toBe(timersBefore)
  })

  test('gives up at the time limit, and leaves no listener', async () => {
    const { signal } = new AbortController()
    expect(await waitAtMost(1, NEVER_SETTLED, signal)).toBeUndefined()
    expect(countListeners(signal)).toBe(0)
  })

  test('gives up when the signal is aborted, before or during the wait', async () => {
    expect(await waitAtMost(100_000, NEVER_SETTLED, AbortSignal.abort())).toBeUndefined()
    const controller = new AbortController()
    const waitPromise = waitAtMost(100_000, NEVER_SETTLED, controller.signal)
    controller.abort()
    expect(await waitPromise).toBeUndefined()
    expect(await isDoneWithin(100_000, NEVER_SETTLED, controller.signal)).toBe(false)
  })

  test('ignores a failure after the time limit', async () => {
    let fail = (_error: Error) => {}
    const work = new Promise<void>((_, reject) => {
      fail = reject
    })
    expect(await waitAtMost(1, work)).toBeUndefined()
    fail(new Error('too late'))
    // Vitest fails the run if the rejection is unhandled.
    await new Promise((resolve) => setImmediate(resolve))
  })
})

describe('isDoneWithin', () => {
  test('returns whether the work was done in time', async () => {
    expect(await isDoneWithin(100_000, Promise.resolve('x'))).toBe(true)
    expect(await isDoneWithin(1, NEVER_SETTLED)).toBe(false)
  })

  test('rejects if the work fails', async () => {
    await expect(isDoneWithin(100_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

describe('waiting until a signal is aborted', () => {
  test('returns the result of work that is done first, and leaves no listener', async () => {
    const { signal } = new AbortController()
    expect(await waitUnlessAborted(Promise.resolve(undefined), signal)).toEqual({ value: undefined })
    expect(await raceWithAbort(Promise.resolve(1), signal)).toBe(1)
    expect(await waitUnlessAborted(Promise.resolve(1), undefined)).toEqual({ value: 1 })
    expect(countListeners(signal)).toBe(0)
  })

  test('abandons work that never ends', async () => {
    const controller = new AbortController()
    const waitPromises = [
      waitUnlessAborted(NEVER_SETTLED, controller.signal),
      raceWithAbort(NEVER_SETTLED, controller.signal),
    ] as const
    controller.abort('enough')
    expect(await waitPromises[0]).toBeUndefined()
    await expect(waitPromises[1]).rejects.toBe('enough')
  })

  test('abandons the work at once if the signal was aborted before', async () => {
    const signal = AbortSignal.abort('enough')
    expect(await waitUnlessAborted(NEVER_SETTLED, signal)).toBeUndefined()
    await expect(raceWithAbort(Promise.resolve(1), signal)).rejects.toBe('enough')
  })

  test('fails if the work fails', async () => {
    const { signal } = new AbortController()
    await expect(waitUnlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    await expect(raceWithAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  })
})
