import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { delay, isDoneWithin, unlessAborted, untilAborted } from './waiting.js'

const NEVER = new Promise<never>(() => {})

function countListeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
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
