import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CallControl } from './cancellation.js'
import { deferred, never } from './fixture-host.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const call = { toolName: 'Slow', hasReturned: false }
const same = (value: unknown) => value
const SLOW = { toolName: 'Slow', returned: same, failed: same, left: same }

test('work that ends is handed on, and leaves nothing behind', async () => {
  const control = new CallControl(50)

  expect(await control.withGrace(Promise.resolve(1), SLOW)).toBe(1)
  await expect(control.withGrace(Promise.reject(new Error('no')), SLOW)).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})

test('cancelled work that ignores its signal is left behind after the grace period', async () => {
  const control = new CallControl(50)
  const ended = expect(control.withGrace(never(), SLOW)).rejects.toMatchObject({
    code: 'abandoned',
    message:
      'The user cancelled Slow. It did not stop when it was told to and was left behind; it may still be at work.',
  })

  control.cancel({ type: 'interrupted' })
  await vi.advanceTimersByTimeAsync(50)

  await ended
})

test('cancelled work that stops within the grace period is cancelled, whatever it says', async () => {
  const control = new CallControl(50)
  const { promise, reject } = deferred<string>()
  const ended = expect(control.withGrace(promise, SLOW)).rejects.toMatchObject({
    code: 'cancelled',
    message: 'Slow was cancelled.',
  })

  control.cancel({ type: 'aborted' })
  reject(new Error('broken off'))

  await ended
  expect(vi.getTimerCount()).toBe(0)
})

test('cancelled work that ends all the same is cancelled, and may have done what it was to do', async () => {
  const control = new CallControl(50)
  const { promise, resolve } = deferred<string>()
  const ended = expect(control.withGrace(promise, SLOW)).rejects.toMatchObject({
    code: 'cancelled',
    message: 'Slow was cancelled. What it had done by then stands; its result is withheld.',
  })

  control.cancel({ type: 'aborted' })
  resolve('done after all')

  await ended
  expect(vi.getTimerCount()).toBe(0)
})

test('a time limit says how long it was', async () => {
  const control = new CallControl(50)
  const ended = expect(control.withGrace(never(), SLOW)).rejects.toMatchObject({ code: 'abandoned' })
  control.cancel({ type: 'timed-out', afterMs: 10 })
  await vi.advanceTimersByTimeAsync(50)
  await ended

  await expect(control.withGrace(Promise.resolve(1), SLOW)).rejects.toMatchObject({
    code: 'timed_out',
    message: 'Slow took longer than its limit of 10 ms. What it had done by then stands; its result is withheld.',
  })
})

test('what can be left without harm is left at once', async () => {
  const control = new CallControl(50)
  const ended = expect(control.orCancelled(call, never())).rejects.toMatchObject({
    code: 'cancelled',
    message: 'Stop it. It had not started.',
  })

  control.cancel({ type: 'interrupted', message: 'Stop it.' })

  await ended
  expect(vi.getTimerCount()).toBe(0)
})

test('everybody who waits is told, and only of the first reason', async () => {
  const control = new CallControl(50)
  const waiting = [control.orCancelled(call, never()), control.orCancelled(call, never())]
  const ended = Promise.all(waiting.map((each) => expect(each).rejects.toThrow('First.')))

  control.cancel({ type: 'aborted', message: 'First.' })
  control.cancel({ type: 'aborted', message: 'Second.' })

  await ended
  expect(control.reason).toEqual({ type: 'aborted', message: 'First.' })
})

test('who comes after the cancellation is told as well', async () => {
  const control = new CallControl(50)
  control.cancel({ type: 'aborted' })

  await expect(control.orCancelled(call, never())).rejects.toMatchObject({ code: 'cancelled' })
  expect(() => control.throwIfCancelled('Slow')).toThrow('Slow was cancelled. It had not started.')
})

test('a signal that is first asked for after the cancellation is aborted, as libraries expect it', () => {
  const control = new CallControl()
  control.cancel({ type: 'interrupted' })

  const { signal } = control.abortController

  expect(signal.aborted).toBe(true)
  expect(signal.reason).toMatchObject({ name: 'AbortError', cause: { type: 'interrupted' } })
})

test('work that fails after it was left behind troubles nobody', async () => {
  const control = new CallControl(50)
  const { promise, reject } = deferred<never>()
  const ended = expect(control.withGrace(promise, SLOW)).rejects.toMatchObject({ code: 'abandoned' })
  control.cancel({ type: 'aborted' })
  await vi.advanceTimersByTimeAsync(50)
  await ended

  reject(new Error('too late'))
  await vi.advanceTimersByTimeAsync(0)
})

test.each([
  [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
  [2 ** 40, 2 ** 31 - 1],
  [0.5, 1],
  [0, 0],
  [Number.NaN, 2_000],
  [-1, 2_000],
])('a grace period of %s is one of %s ms, as a timer can wait it', (given, graceMs) => {
  expect(new CallControl(given).graceMs).toBe(graceMs)
})
