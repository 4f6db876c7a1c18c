import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Resource } from '../contract/resources.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { FixtureClock } from './fixture-clock.js'
import { createCalls, createTimedTool, type TimedInput } from './fixture-run.js'

/** `npm run test:long` tries so many cases that a test takes minutes. */
vi.setConfig({ testTimeout: 900_000 })

test('every call starts as soon as the last earlier call that conflicts with it has ended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(timedCall, { maxLength: 14 }), async (calls) => {
      const { starts } = await simulate(calls, 'resources', Number.POSITIVE_INFINITY)

      expect(starts).toEqual(computeEarliestStarts(calls, areConflicting))
    }),
    createPropertyOptions(150),
  )
})

test('under the base scheduling rule, adjacent safe calls run together and every other call runs alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(timedCall, { maxLength: 14 }), async (calls) => {
      const { starts } = await simulate(calls, 'base', Number.POSITIVE_INFINITY)

      expect(starts).toEqual(computeEarliestStarts(calls, (a, b) => !(a.isSafe && b.isSafe)))
    }),
    createPropertyOptions(100),
  )
})

test('with unlimited slots, scheduling by resources never takes longer than the base scheduling rule', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(consistentCall, { maxLength: 12 }), async (calls) => {
      const byResources = await simulate(calls, 'resources', Number.POSITIVE_INFINITY)
      const byBase = await simulate(calls, 'base', Number.POSITIVE_INFINITY)

      expect(byResources.end).toBeLessThanOrEqual(byBase.end)
    }),
    createPropertyOptions(100),
  )
})

test('concurrency stays within the limit, and no slot is free while a call could start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }), async (durations) => {
      const { starts, maxRunning } = await simulate(
        durations.map((ms) => ({ ms, isSafe: true })),
        'resources',
        3,
      )

      expect(maxRunning).toBeLessThanOrEqual(3)
      expect(starts).toEqual(computeStartsInSlots(durations, 3))
    }),
    createPropertyOptions(100),
  )
})

const path = fc.constantFrom('/r/a', '/r/b', '/r/a/x', '/r/a/y', '/r', '/r/c/d/../x').map((each) => ({ path: each }))
const thing = fc.constantFrom('todo:list', 'todo:other', 'todo:list/1', '/r/a').map((each) => ({ thing: each }))
const resource: fc.Arbitrary<Resource> = fc.oneof({ weight: 3, arbitrary: path }, thing)
const resources = fc.record({
  reads: fc.array(resource, { maxLength: 3 }),
  writes: fc.array(resource, { maxLength: 2 }),
})
const timedCall: fc.Arbitrary<TimedInput> = fc.record(
  { ms: fc.integer({ min: 1, max: 20 }), resources, isSafe: fc.boolean() },
  { requiredKeys: ['ms', 'isSafe'] },
)

/** Calls that declare no writes if they are safe, because the base rule runs safe calls together. */
const consistentCall = timedCall.map((call) =>
  call.isSafe && call.resources !== undefined ? { ...call, resources: { ...call.resources, writes: [] } } : call,
)

/** Runs the calls on a clock that advances when every started call sleeps. */
async function simulate(calls: readonly TimedInput[], scheduling: 'base' | 'resources', maxConcurrency: number) {
  const clock = new FixtureClock()
  const startTimes: number[] = []
  let maxRunning = 0
  const tool = createTimedTool(clock)
  const call: typeof tool.call = (input, context, ...otherArguments) => {
    startTimes[Number(context.toolUseId.slice('call-'.length))] = clock.now
    const result = tool.call(input, context, ...otherArguments)
    maxRunning = Math.max(maxRunning, clock.sleeperCount)
    return result
  }
  const runtime = createToolRuntime({
    ...{ tools: [{ ...tool, call }], permissions: { allow: ['Timed'] }, cwd: '/elsewhere' },
    onEvent: ({ type }) => {
      if (type === 'call-started') startedCount++
      if (type === 'call-ended') endedCount++
    },
    scheduling: { rule: scheduling, maxConcurrency },
  })
  let startedCount = 0
  let endedCount = 0
  const { results } = runtime.run(createCalls(calls))
  while (endedCount < calls.length) {
    await new Promise(setImmediate)
    if (startedCount > endedCount && clock.sleeperCount === startedCount - endedCount) clock.advance()
  }
  await results
  await runtime.dispose()
  return { starts: startTimes, end: clock.now, maxRunning }
}

function computeEarliestStarts(
  calls: readonly TimedInput[],
  conflicts: (a: TimedInput, b: TimedInput) => boolean,
): readonly number[] {
  const startTimes: number[] = []
  for (const [index, call] of calls.entries()) {
    const ends = calls.slice(0, index).map((earlierCall, earlierIndex) => {
      return conflicts(earlierCall, call) ? (startTimes[earlierIndex] ?? 0) + (earlierCall.ms ?? 0) : 0
    })
    startTimes.push(Math.max(0, ...ends))
  }
  return startTimes
}

function computeStartsInSlots(durations: readonly number[], slots: number): readonly number[] {
  const slotFreeTimes = Array.from({ length: slots }, () => 0)
  return durations.map((ms) => {
    const start = Math.min(...slotFreeTimes)
    slotFreeTimes[slotFreeTimes.indexOf(start)] = start + ms
    return start
  })
}

/** A direct implementation of the rule in the specification. */
function areConflicting(a: TimedInput, b: TimedInput): boolean {
  const [first, second] = [listDeclaredNames(a), listDeclaredNames(b)]
  return (
    haveOverlap(first.writes, [...second.reads, ...second.writes]) ||
    haveOverlap(second.writes, [...first.reads, ...first.writes])
  )
}

function listDeclaredNames({ resources: declaredResources, isSafe }: TimedInput): {
  reads: readonly string[]
  writes: readonly string[]
} {
  if (declaredResources === undefined)
    return isSafe ? { reads: [ALL_RESOURCES], writes: [] } : { reads: [], writes: [ALL_RESOURCES] }
  const toNames = (list: readonly Resource[] = []) =>
    list.map((each) => ('path' in each ? each.path.replace('/c/d/../x', '/c/x') : encodeURIComponent(each.thing)))
  return { reads: [...toNames(declaredResources.reads), SHARED_READ_NAME], writes: toNames(declaredResources.writes) }
}

const ALL_RESOURCES = '*'
/** Even a call with empty resource lists waits for an exclusive call. */
const SHARED_READ_NAME = '-'

function haveOverlap(writtenNames: readonly string[], otherNames: readonly string[]): boolean {
  return writtenNames.some((one) => otherNames.some((other) => isOverlap(one, other)))
}

function isOverlap(one: string, other: string): boolean {
  if (one === ALL_RESOURCES || other === ALL_RESOURCES) return true
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
}
