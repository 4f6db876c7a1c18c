import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Cancellation } from './cancellation.js'
import { createDeferred, waitForever } from './fixture-host.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const call = { toolName: 'Slow', hasReturned: false }
const ignore = () => {}

test('the value or error of work that is not cancelled is passed on, and no timer remains', async () => {
  const cancellation = new Cancellation(50)

  expect(await cancellation.waitWithGrace(Promise.resolve(1), 'Slow', ignore)).toEqual({ value: 1 })
  await expect(cancellation.waitWithGrace(Promise.reject(new Error('no')), 'Slow', ignore)).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})

test('cancelled work that ignores its signal is abandoned after the grace period', async () => {
  const cancellation = new Cancellation(50)
  const rejection = expect(cancellation.waitWithGrace(waitForever(), 'Slow', ignore)).rejects.toMatchObject({
    code: 'abandoned',
    message: 'The user cancelled Slow. It did not stop when asked and was abandoned; it may still be running.',
  })

  cancellation.cancel({ type: 'interrupted' })
  await vi.advanceTimersByTimeAsync(50)

  await rejection
})

test('cancelled work that stops within the grace period counts as cancelled, whatever it throws', async () => {
  const cancellation = new Cancellation(50)
  const { promise, reject } = createDeferred<string>()
  const rejection = expect(cancellation.waitWithGrace(promise, 'Slow', ignore)).rejects.toMatchObject({
    code: 'cancelled',
    message: 'Slow was cancelled. It was stopped; changes that it had already made remain.',
  })

  cancellation.cancel({ type: 'aborted' })
  reject(new Error('broken off'))

  await rejection
  expect(vi.getTimerCount()).toBe(0)
})

test('cancelled work that completes anyway ends as cancelled, with a note that its changes remain', async () => {
  const cancellation = new Cancellation(50)
  const { promise, resolve } = createDeferred<string>()
  const rejection = expect(cancellation.waitWithGrace(promise, 'Slow', ignore)).rejects.toMatchObject({
    code: 'cancelled',
    message:
      'Slow was cancelled. It finished before it could be stopped; its changes remain, and its result is withheld.',
  })

  cancellation.cancel({ type: 'aborted' })
  resolve('done after all')

  await rejection
  expect(vi.getTimerCount()).toBe(0)
})

test('the error for an exceeded time limit contains the limit', async () => {
  const cancellation = new Cancellation(50)
  const rejection = expect(cancellation.waitWithGrace(waitForever(), 'Slow', ignore)).rejects.toMatchObject({
    code: 'abandoned',
  })
  cancellation.cancel({ type: 'timed-out', afterMs: 10 })
  await vi.advanceTimersByTimeAsync(50)
  await rejection

  await expect(cancellation.waitWithGrace(Promise.resolve(1), 'Slow', ignore)).rejects.toMatchObject({
    code: 'timed_out',
    message:
      'Slow took longer than its limit of 10 ms. It finished before it could be stopped; its changes remain, and its result is withheld.',
  })
})

test('work that is safe to abandon is abandoned at once', async () => {
  const cancellation = new Cancellation(50)
  const rejection = expect(cancellation.raceWithCancellation(waitForever(), call)).rejects.toMatchObject({
    code: 'cancelled',
    message: 'Stop it. It had not started.',
  })

  cancellation.cancel({ type: 'interrupted', message: 'Stop it.' })

  await rejection
  expect(vi.getTimerCount()).toBe(0)
})

test('every waiter gets the first of several cancellation reasons', async () => {
  const cancellation = new Cancellation(50)
  const waitPromises = [
    cancellation.raceWithCancellation(waitForever(), call),
    cancellation.raceWithCancellation(waitForever(), call),
  ]
  const rejection = Promise.all(waitPromises.map((each) => expect(each).rejects.toThrow('First.')))

  cancellation.cancel({ type: 'aborted', message: 'First.' })
  cancellation.cancel({ type: 'aborted', message: 'Second.' })

  await rejection
  expect(cancellation.reason).toEqual({ type: 'aborted', message: 'First.' })
})

test('a waiter that is added after the cancellation is rejected as cancelled', async () => {
  const cancellation = new Cancellation(50)
  cancellation.cancel({ type: 'aborted' })

  await expect(cancellation.raceWithCancellation(waitForever(), call)).rejects.toMatchObject({ code: 'cancelled' })
  expect(() => cancellation.throwIfCancelled('Slow')).toThrow('Slow was cancelled. It had not started.')
})

test('a signal that is first read after the cancellation is already aborted', () => {
  const cancellation = new Cancellation()
  cancellation.cancel({ type: 'interrupted' })

  const { signal } = cancellation.abortController

  expect(signal.aborted).toBe(true)
  expect(signal.reason).toMatchObject({ name: 'AbortError', cause: { type: 'interrupted' } })
})

test('work that fails after it was abandoned causes no unhandled rejection', async () => {
  const cancellation = new Cancellation(50)
  const { promise, reject } = createDeferred<never>()
  const rejection = expect(cancellation.waitWithGrace(promise, 'Slow', ignore)).rejects.toMatchObject({
    code: 'abandoned',
  })
  cancellation.cancel({ type: 'aborted' })
  await vi.advanceTimersByTimeAsync(50)
  await rejection

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
])('a grace period of %s becomes %s ms, which a timer supports', (requestedMs, graceMs) => {
  expect(new Cancellation(requestedMs).graceMs).toBe(graceMs)
})
