import { expect, test } from 'vitest'
import { forEachInSlices } from './for-each-in-slices.js'

test('forEachInSlices pauses whenever the time budget is used up, and keeps the order', async () => {
  const log: (number | 'pause')[] = []
  let clock = 0
  const pacing = {
    budgetMs: 3,
    now: () => clock,
    pause: async () => {
      log.push('pause')
    },
  }

  await forEachInSlices(
    [1, 2, 3, 4, 5, 6, 7],
    (item) => {
      clock += 1
      log.push(item)
    },
    pacing,
  )

  expect(log).toEqual([1, 2, 3, 'pause', 4, 5, 6, 'pause', 7])
})

test('forEachInSlices lets timers and I/O callbacks run during a pause', async () => {
  let hasTimerRun = false
  setTimeout(() => {
    hasTimerRun = true
  }, 0)

  await forEachInSlices(Array(1_000_000).fill(0), () => !hasTimerRun && performance.now())

  expect(hasTimerRun).toBe(true)
})
