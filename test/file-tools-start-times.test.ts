import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Tool } from '../src/contract/tool/tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { CallClock } from '../src/testing/call-clock.js'
import { type AnyFileCall, createBlock, generateFileCall } from '../src/testing/files/any-file-call.js'
import { FILE_TOOLS } from '../src/testing/files/file-calls.js'
import { createLinkedTree, resetAndReadTree } from '../src/testing/files/linked-tree.js'
import { PlacedCalls } from '../src/testing/files/placed-calls.js'
import { areInConflict } from '../src/testing/files/touched-files.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'

/** With HAFT_LONG_TESTS set, the tests take minutes. */
vi.setConfig({ testTimeout: 900_000 })

const tree = createLinkedTree()

/** A call with the simulated time that it takes before and after its real work. */
interface TimedCall extends AnyFileCall {
  readonly before: number
  readonly after: number
}

const timedCall: fc.Arbitrary<TimedCall> = fc
  .tuple(generateFileCall(tree), fc.nat(9), fc.integer({ min: 1, max: 9 }))
  .map(([call, before, after]) => ({ ...call, before, after }))
const message = fc.array(timedCall, { maxLength: 10 })

type ConflictMatrix = readonly (readonly boolean[])[]

test('every real call starts when the last earlier call that it conflicts with has ended', async () => {
  await fc.assert(
    fc.asyncProperty(message, async (calls) => {
      const { starts, end, conflicts } = await simulate(calls, 'resources')

      const expected = computeEarliestStarts(calls, conflicts)
      expect({ starts, end }).toEqual({ starts: expected, end: getEnd(calls, expected) })
    }),
    createPropertyOptions(100),
  )
})

test('by the base rule real reads and searches run in parallel and every other call runs alone', async () => {
  await fc.assert(
    fc.asyncProperty(message, async (calls) => {
      const { starts, end } = await simulate(calls, 'base')

      const areSafe = calls.map(({ writes }) => writes.length === 0)
      const expected = computeEarliestStarts(
        calls,
        areSafe.map((one) => areSafe.map((other) => !(one && other))),
      )
      expect({ starts, end }).toEqual({ starts: expected, end: getEnd(calls, expected) })
    }),
    createPropertyOptions(40),
  )
})

test('at the concurrency limit, no slot stays free while a real call could start, and the earliest call starts first', async () => {
  await fc.assert(
    fc.asyncProperty(message, fc.integer({ min: 1, max: 4 }), async (randomCalls, limit) => {
      const calls = randomCalls.map(withUniqueTimes)
      const { starts, maxRunning, conflicts } = await simulate(calls, 'resources', limit)

      expect(maxRunning).toBeLessThanOrEqual(limit)
      expect(starts).toEqual(computeStartsWithSlots(calls, conflicts, limit))
    }),
    createPropertyOptions(60),
  )
})

/**
 * Makes all sums of call times different. With equal end times, the order of the calls would depend on the disk.
 */
function withUniqueTimes(call: TimedCall, index: number): TimedCall {
  return { ...call, before: call.before * 2 ** 12, after: call.after * 2 ** 12 + 2 ** index }
}

/** Runs the calls on a new tree. The clock advances when every started call is sleeping. */
async function simulate(
  calls: readonly TimedCall[],
  scheduling: 'base' | 'resources',
  maxConcurrency = Number.POSITIVE_INFINITY,
) {
  const clock = new CallClock()
  const startTimes: number[] = []
  let maxRunning = 0
  const files = await resetAndReadTree(tree)
  const placedCalls = new PlacedCalls(tree.root)
  for (const call of calls) placedCalls.add(call)
  const onStart = (index: number, runningCount: number) => {
    startTimes[index] = clock.now
    maxRunning = Math.max(maxRunning, runningCount)
  }
  const runtime = createToolRuntime({
    ...{ tools: createTimedTools(calls, clock, onStart), cwd: tree.root, ports: { files } },
    permissions: { allow: FILE_TOOLS.map(({ name }) => name) },
    onEvent: (event) => {
      clock.onEvent(event)
      placedCalls.onEvent(event)
    },
    scheduling: { rule: scheduling, maxConcurrency },
  })
  const { results } = runtime.run(calls.map(createBlock))
  await clock.waitUntilAllSleep()
  while (await clock.step());
  expect(clock.endedIds).toHaveLength(calls.length)
  await results
  await runtime.dispose()
  const { touchedFiles } = placedCalls
  const conflicts: ConflictMatrix = touchedFiles.map((one) => touchedFiles.map((other) => areInConflict(one, other)))
  return { starts: startTimes, end: clock.now, maxRunning, conflicts }
}

/** The real tools, with calls that take time on the clock. */
function createTimedTools(
  calls: readonly TimedCall[],
  clock: CallClock,
  onStart: (index: number, runningCount: number) => void,
): readonly Tool[] {
  let runningCount = 0
  return FILE_TOOLS.map((tool) => {
    const call: Tool['call'] = async (input, context, ...otherArguments) => {
      const index = Number(context.toolUseId.slice('call-'.length))
      const { before = 0, after = 0 } = calls[index] ?? {}
      onStart(index, ++runningCount)
      await clock.sleep(before)
      try {
        return await tool.call(input, context, ...otherArguments)
      } finally {
        await clock.sleep(after)
        runningCount--
      }
    }
    return { ...tool, call }
  })
}

function computeDuration({ before, after }: TimedCall): number {
  return before + after
}

/** The start time of each call: the latest end of the earlier calls that it conflicts with. */
function computeEarliestStarts(calls: readonly TimedCall[], conflicts: ConflictMatrix): readonly number[] {
  const ends: number[] = []
  return calls.map((call, index) => {
    const start = Math.max(0, ...ends.filter((_, earlierIndex) => conflicts[earlierIndex]?.[index]))
    ends.push(start + computeDuration(call))
    return start
  })
}

function getEnd(calls: readonly TimedCall[], startTimes: readonly number[]): number {
  return Math.max(0, ...calls.map((call, index) => (startTimes[index] ?? 0) + computeDuration(call)))
}

/** The start time of each call with a limited number of slots: the earliest call that can start takes a free slot. */
function computeStartsWithSlots(
  calls: readonly TimedCall[],
  conflicts: ConflictMatrix,
  slots: number,
): readonly number[] {
  const startTimes: number[] = []
  const ends = calls.map(() => Number.POSITIVE_INFINITY)
  for (let now = 0; ; ) {
    const runningEnds = ends.filter((end, index) => startTimes[index] !== undefined && end > now)
    const nextIndex = calls.findIndex((_, index) => {
      const canStart = ends.every(
        (end, earlierIndex) => earlierIndex >= index || end <= now || !conflicts[earlierIndex]?.[index],
      )
      return startTimes[index] === undefined && canStart
    })
    if (nextIndex !== -1 && runningEnds.length < slots) {
      startTimes[nextIndex] = now
      ends[nextIndex] = now + computeDuration(calls[nextIndex] as TimedCall)
    } else if (runningEnds.length > 0) now = Math.min(...runningEnds)
    else return startTimes
  }
}
