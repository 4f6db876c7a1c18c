import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventLog } from '../../../inspector/data/event-log.js'
import { createPropertyOptions } from '../../../testing/property-runs.js'
import { measureWidth } from '../../io/terminal-text.js'
import { drawTimeline } from './draw-timeline.js'

const createEvent = (name: string, toolUseId: string, at: number, fields: object = {}) => {
  return { type: 'event', event: name, toolUseId, at, ...fields }
}

function timelineOf(lines: readonly unknown[]) {
  const timeline = new EventLog()
  const problems = lines.map((line) => timeline.add(line))
  return { calls: timeline.calls, problems }
}

const EVENTS = [
  createEvent('call-queued', '1', 1_000, { toolName: 'Read', summary: 'Read(src/a.ts)' }),
  createEvent('call-started', '1', 1_000),
  createEvent('call-queued', '2', 1_100, { toolName: 'Bash' }),
  createEvent('call-ended', '1', 2_000, { resultChars: 12_345 }),
  createEvent('call-started', '2', 2_000),
  createEvent('permission-asked', '2', 2_000, { message: 'May it?' }),
  createEvent('permission-decided', '2', 4_000, { behavior: 'allow', reason: { type: 'person', text: '' } }),
  createEvent('hook-reported', '2', 4_100, { hook: 'x' }),
  createEvent('call-ended', '2', 5_000, { resultChars: 7, isError: true, errorCode: 'tool_failed' }),
  createEvent('call-queued', '3', 90_000, { toolName: 'Sleep', messageNumber: 2 }),
  { type: 'event', event: 'mode-entered', at: 90_000, mode: 'plan' },
  { type: 'tool_result', tool_use_id: '1', content: '' },
  { type: 'error', line: 3, message: '' },
]

test('the timeline shows parallel calls, waiting times, questions and failures', () => {
  const { calls, problems } = timelineOf(EVENTS)
  expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  expect(drawTimeline(calls, 60)).toMatchInlineSnapshot(`
    ". waiting   ? asking   = running   x failed   > not ended

    Message 1 · 2 calls · 4.0 s
    Read(src/a.ts)           |=========                        |
        waited 0 ms · ran 1.0 s · 12,345 chars
    Bash                     | .......?????????????????=======x|
        waited 900 ms · ran 1.0 s · asked 2.0 s · 1 hook
        7 chars · tool_failed

    Message 2 · 1 call · 0 ms
    Sleep                    |>                                |
        waited 0 ms · not ended
    "
  `)
})

test('the timeline fits into 40 columns', () => {
  expect(drawTimeline(timelineOf(EVENTS).calls, 40)).toMatchInlineSnapshot(`
    ". waiting   ? asking   = running
    x failed   > not ended

    Message 1 · 2 calls · 4.0 s
    Read(src/a.ts)   |======               |
        waited 0 ms · ran 1.0 s
        12,345 chars
    Bash             | ....???????????====x|
        waited 900 ms · ran 1.0 s
        asked 2.0 s · 1 hook · 7 chars
        tool_failed

    Message 2 · 1 call · 0 ms
    Sleep            |>                    |
        waited 0 ms · not ended
    "
  `)
})

test('a log without calls is reported', () => {
  expect(drawTimeline([], 40)).toBe('The log contains no calls.\n')
})

test.each([
  [5, 'is not an object'],
  [{ type: 'message' }, 'is not a haft run --events line'],
  [{ type: 'event' }, 'is an event without a name'],
  [{ type: 'event', event: 'call-started', toolUseId: '1' }, 'is an event without a time'],
  [{ type: 'event', event: 'call-started', toolUseId: 1, at: 1 }, 'is an event without a valid toolUseId'],
  [{ type: 'event', event: '__proto__', toolUseId: '1', at: 1 }, undefined],
])('the log line %j is reported with the problem %s', (line, problem) => {
  expect(timelineOf([line]).problems).toEqual([problem])
})

test('for any events in any order, no line of the timeline is too wide or contains control characters', () => {
  const names = ['call-queued', 'call-started', 'permission-asked', 'permission-decided', 'call-ended', 'later-kind']
  const anyEvent = fc.record({
    type: fc.constant('event'),
    event: fc.constantFrom(...names),
    toolUseId: fc.constantFrom('a', 'b', 'c'),
    at: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    summary: fc.string({ unit: 'grapheme', maxLength: 100, size: 'max' }),
    resultChars: fc.oneof(fc.nat(), fc.double()),
    errorCode: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
    messageNumber: fc.option(fc.nat(2), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(anyEvent), fc.integer({ min: 40, max: 200 }), (events, columns) => {
      const text = drawTimeline(timelineOf(events).calls, columns)
      for (const line of text.split('\n')) expect(measureWidth(line)).toBeLessThanOrEqual(columns)
      expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    }),
    createPropertyOptions(),
  )
})
