import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool/tool.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { FixtureClock } from './fixture-clock.js'
import { createCalls, createTimedTool } from './fixture-run.js'

interface PlannedCall {
  readonly path: string
  readonly access: 'reads' | 'writes'
  readonly name: 'Cancel' | 'Block'
  readonly ms: number
}

const plannedCall: fc.Arbitrary<PlannedCall> = fc.record({
  path: fc.constantFrom('/a', '/a/x', '/b', 'thing:one'),
  access: fc.constantFrom('reads', 'writes'),
  name: fc.constantFrom('Cancel', 'Block'),
  ms: fc.integer({ min: 1, max: 4 }),
})

test('conflicting calls never overlap or overtake each other, even if calls between them are cancelled', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plannedCall, { minLength: 3, maxLength: 9 }),
      fc.record({ steps: fc.nat(3), maxConcurrency: fc.integer({ min: 1, max: 5 }), lateCount: fc.nat(3) }),
      async (calls, interruption) => {
        expect(findOvertakings(calls, await runLogged(calls, interruption))).toEqual([])
      },
    ),
    createPropertyOptions(150),
  )
})

type Log = readonly { readonly index: number; readonly eventType: 'start' | 'end' }[]

/** Runs the calls, interrupts after some steps of the clock, and then adds the remaining calls. */
async function runLogged(
  calls: readonly PlannedCall[],
  interruption: { steps: number; maxConcurrency: number; lateCount: number },
) {
  const clock = new FixtureClock()
  const log: { index: number; eventType: 'start' | 'end' }[] = []
  const tools = (['Cancel', 'Block'] as const).map((name) => createLoggingTool(clock, name, log))
  const { maxConcurrency } = interruption
  const runtime = createToolRuntime({
    ...{ tools, cwd: '/r', permissions: { allow: ['Cancel', 'Block'] } },
    scheduling: { maxConcurrency, graceMs: 1 },
    policy: {
      decisionPorts: {
        paths: { look: async (path) => ({ realPath: path, isFolder: false, isCaseInsensitive: false }) },
      },
    },
  })
  const run = runtime.open()
  const timedUses = createCalls(calls.map(({ access, path, ms }) => ({ ms, resources: { [access]: [{ path }] } })))
  const toolUses = timedUses.map((use, index) => ({ ...use, name: calls[index]?.name ?? '' }))
  for (const use of toolUses.slice(0, toolUses.length - interruption.lateCount)) run.add(use)
  await settle()
  for (let step = 0; step < interruption.steps && clock.sleeperCount > 0; step++) await advance(clock)
  run.interrupt()
  for (const use of toolUses.slice(toolUses.length - interruption.lateCount)) run.add(use)
  run.end()
  await settle()
  while (clock.sleeperCount > 0) await advance(clock)
  await settle()
  expect(await run.outcomes()).toHaveLength(calls.length)
  return log
}

function createLoggingTool(
  clock: FixtureClock,
  name: PlannedCall['name'],
  log: { index: number; eventType: 'start' | 'end' }[],
): Tool {
  const tool = createTimedTool(clock, { name, interruptBehavior: () => (name === 'Cancel' ? 'cancel' : 'block') })
  return {
    ...tool,
    async call(...args: Parameters<Tool['call']>) {
      const index = Number(args[1].toolUseId.slice('call-'.length))
      log.push({ index, eventType: 'start' })
      try {
        return await tool.call(...args)
      } finally {
        log.push({ index, eventType: 'end' })
      }
    },
  }
}

/** Conflicting pairs whose later call started before the earlier one ended. */
function findOvertakings(calls: readonly PlannedCall[], log: Log): readonly string[] {
  const findPosition = (index: number, eventType: 'start' | 'end') =>
    log.findIndex((e) => e.index === index && e.eventType === eventType)
  return calls.flatMap((laterCall, j) =>
    calls.slice(0, j).flatMap((earlierCall, i) => {
      const isEarly =
        findPosition(i, 'end') >= 0 &&
        findPosition(j, 'start') >= 0 &&
        findPosition(j, 'start') < findPosition(i, 'end')
      return isEarly && areConflicting(earlierCall, laterCall) ? [`${j} before the end of ${i}`] : []
    }),
  )
}

function areConflicting(one: PlannedCall, other: PlannedCall): boolean {
  if (one.access === 'reads' && other.access === 'reads') return false
  return `${one.path}/`.startsWith(`${other.path}/`) || `${other.path}/`.startsWith(`${one.path}/`)
}

async function settle(): Promise<void> {
  for (let time = 0; time < 20; time++) await new Promise(setImmediate)
}

async function advance(clock: FixtureClock): Promise<void> {
  clock.advance()
  await settle()
}
