import { expect, test, vi } from 'vitest'
import { NotificationBudget, PROGRESS_LIMITS, RateLimiter } from './message-budget.js'

const LOG = { method: 'notifications/message', params: { level: 'info', data: 'x' } }
const TOOLS_CHANGED = { method: 'notifications/tools/list_changed' }

test('progress reports are limited to a burst and then twenty per second', () => {
  let now = 0
  const limiter = new RateLimiter(PROGRESS_LIMITS, () => now)
  const takeAll = () => Array.from({ length: 1_000 }, () => limiter.take()).filter(Boolean).length

  expect(takeAll()).toBe(100)
  now += 1_000
  expect(takeAll()).toBe(20)
  now += 1e9
  expect(takeAll()).toBe(100)
})

test('of a flood of log messages the first ones are passed on, and the number of dropped ones is reported', () => {
  const delivered: unknown[] = []
  const budget = new NotificationBudget((message) => delivered.push(message))

  const admitted = Array.from({ length: 200_000 }, () => budget.admit(LOG)).filter(Boolean).length
  budget.close()

  expect(admitted).toBeGreaterThanOrEqual(1_000)
  expect(admitted).toBeLessThan(10_000)
  expect(delivered).toEqual([
    expect.objectContaining({
      params: expect.objectContaining({
        data: `${200_000 - admitted} log messages of this server were dropped, because it sent too many.`,
      }),
    }),
  ])
})

test('a change that is announced without pause is passed on within the waiting time, and the last one is not lost', () => {
  vi.useFakeTimers()
  try {
    const delivered: unknown[] = []
    const budget = new NotificationBudget((message) => delivered.push(message))
    for (let ms = 0; ms < 100; ms++) {
      expect(budget.admit(TOOLS_CHANGED)).toBe(false)
      vi.advanceTimersByTime(1)
    }
    expect(delivered.length).toBeGreaterThanOrEqual(4)
    const deliveredBefore = delivered.length
    budget.admit(TOOLS_CHANGED)
    vi.advanceTimersByTime(20)
    expect(delivered.length).toBe(deliveredBefore + 1)
  } finally {
    vi.useRealTimers()
  }
})

test('changes of different lists and resources are passed on separately', () => {
  vi.useFakeTimers()
  try {
    const delivered: unknown[] = []
    const budget = new NotificationBudget((message) => delivered.push(message))
    const updates = ['a:1', 'a:1', 'a:2'].map((uri) => ({ method: 'notifications/resources/updated', params: { uri } }))
    for (const message of [TOOLS_CHANGED, { method: 'notifications/prompts/list_changed' }, ...updates])
      budget.admit(message)
    vi.advanceTimersByTime(20)

    expect(delivered).toHaveLength(4)
  } finally {
    vi.useRealTimers()
  }
})
