import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { delay, delayInBackground, isDoneWithin, unlessAborted, untilAborted, waitAtMost } from './waiting.js'

const NEVER = new Promise<never>(() => {})

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
    const waiting = delay(100_000, controller.signal)
    controller.abort()
    await waiting
    expect(countListeners(controller.signal)).toBe(0)
  })
})

describe('delayInBackground', () => {
  test('waits without keeping the process alive', async () => {
    const timersBefore = countTimers()
    const waiting = delayInBackground(5)
    expect(countTimers()).toBe(timersBefore)
    await waiting
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
    expect(await waitAtMost(1, NEVER, signal)).toBeUndefined()
    expect(countListeners(signal)).toBe(0)
  })

  test('gives up when the signal is aborted, before or during the wait', async () => {
    expect(await waitAtMost(100_000, NEVER, AbortSignal.abort())).toBeUndefined()
    const controller = new AbortController()
    const waiting = waitAtMost(100_000, NEVER, controller.signal)
    controller.abort()
    expect(await waiting).toBeUndefined()
    expect(await isDoneWithin(100_000, NEVER, controller.signal)).toBe(false)
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
    expect(await isDoneWithin(1, NEVER)).toBe(false)
  })

  test('rejects if the work fails', async () => {
    await expect(isDoneWithin(100_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

describe('waiting until a signal is aborted', () => {
  test('returns the result of work that is done first, and leaves no listener', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(undefined), signal)).toEqual({ value: undefined })
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1)
    expect(await unlessAborted(Promise.resolve(1), undefined)).toEqual({ value: 1 })
    expect(countListeners(signal)).toBe(0)
  })

  test('abandons work that never ends', async () => {
    const controller = new AbortController()
    const waits = [unlessAborted(NEVER, controller.signal), untilAborted(NEVER, controller.signal)] as const
    controller.abort('enough')
    expect(await waits[0]).toBeUndefined()
    await expect(waits[1]).rejects.toBe('enough')
  })

  test('abandons the work at once if the signal was aborted before', async () => {
    const signal = AbortSignal.abort('enough')
    expect(await unlessAborted(NEVER, signal)).toBeUndefined()
    await expect(untilAborted(Promise.resolve(1), signal)).rejects.toBe('enough')
  })

  test('fails if the work fails', async () => {
    const { signal } = new AbortController()
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  })
})
