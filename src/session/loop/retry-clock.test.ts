import { expect, test } from 'vitest'
import { systemRetryClock } from './retry-policy.js'

test('a delay ends when its time is over', async () => {
  await systemRetryClock.delay(1, new AbortController().signal)
})

test.each(['before', 'during'])('a delay ends at once if its signal is aborted %s it', async (abortTime) => {
  const controller = new AbortController()
  if (abortTime === 'before') controller.abort()
  const delayPromise = systemRetryClock.delay(2 ** 30, controller.signal)

  controller.abort()

  await expect(delayPromise).resolves.toBeUndefined()
})
