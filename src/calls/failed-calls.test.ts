import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Resource } from '../contract/resources.js'
import {
  addAll,
  createWritingInput,
  openFixtureRun,
  readCodes,
  readTexts,
  runToEnd,
} from '../testing/fixture-call-run.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import type { CallRun } from './call-run.js'
import type { FixtureClock } from './fixture-clock.js'
import { createTimedTool, type TimedInput } from './fixture-run.js'

/** `npm run test:long` tries so many cases that a test takes minutes. */
vi.setConfig({ testTimeout: 900_000 })

const shell = {
  makeTools: (clock: FixtureClock) => [
    createTimedTool(clock),
    createTimedTool(clock, { name: 'Sh', needs: ['shell'] }),
  ],
}

describe('after a failed command', () => {
  test('whose effects are unknown, later calls that may change something are skipped', async () => {
    const { run, clock, started, events } = openFixtureRun(shell)
    addAll(
      run,
      [{ isSafe: true, ms: 9 }, { shouldFail: true }, {}, { isSafe: true }, createWritingInput('/r/a'), {}],
      ['Timed', 'Sh'],
    )
    run.end()
    await runToEnd(clock)

    expect(await readCodes(run)).toEqual(['ok', 'tool_failed', 'cancelled', 'ok', 'cancelled', 'cancelled'])
    expect(started.toSorted()).toEqual([0, 1, 3])
    const [, , cancelled] = await run.outcomes()
    expect(cancelled?.block.content).toContain('may depend on the earlier call Sh (call-1), which failed')
    expect(events.filter(({ type }) => type === 'call-started')).toHaveLength(3)
  })

  test.each(['base', 'resources'] as const)(
    'the calls that had to wait for it are skipped under the scheduling rule %s',
    async (scheduling) => {
      const { run, clock, started } = openFixtureRun({ ...shell, scheduling: { rule: scheduling } })
      const failingCd: TimedInput = { resources: { writes: [{ thing: 'shell:cwd' }] }, shouldFail: true }
      addAll(run, [failingCd, { resources: { reads: [{ thing: 'shell:cwd' }], writes: [{ path: './x' }] } }], ['Sh'])
      run.end()
      await runToEnd(clock)

      expect(await readCodes(run)).toEqual(['tool_failed', 'cancelled'])
      expect(await readTexts(run)).toContainEqual(expect.stringContaining('This call was skipped'))
      expect(started).toEqual([0])
    },
  )

  test('only the calls that use what it should have written are skipped, whether queued or added later', async () => {
    const { run, clock, started } = openFixtureRun(shell)
    const createSafeInput = (...reads: string[]): TimedInput => ({
      isSafe: true,
      resources: { reads: reads.map((path) => ({ path })) },
    })
    addAll(
      run,
      [{ ...createWritingInput('/r/a'), shouldFail: true }, createSafeInput('/r/a'), createSafeInput('/r/b')],
      ['Sh'],
    )
    await runToEnd(clock)
    run.add({ type: 'tool_use', id: 'call-3', name: 'Timed', input: createSafeInput('/r') })
    run.add({ type: 'tool_use', id: 'call-4', name: 'Timed', input: createSafeInput('/r/b') })
    run.end()
    await runToEnd(clock)

    expect(await readCodes(run)).toEqual(['tool_failed', 'cancelled', 'ok', 'cancelled', 'ok'])
    expect(started.toSorted()).toEqual([0, 2, 4])
  })

  test('calls added later to the same message are skipped unless they are concurrency-safe', async () => {
    const { run, clock, started } = openFixtureRun(shell)
    run.add({ type: 'tool_use', id: 'call-0', name: 'Sh', input: { shouldFail: true } })
    await runToEnd(clock)
    run.add({ type: 'tool_use', id: 'call-1', name: 'Timed', input: {} })
    run.add({ type: 'tool_use', id: 'call-2', name: 'Timed', input: { isSafe: true } })
    run.end()
    await runToEnd(clock)

    expect(await readCodes(run)).toEqual(['tool_failed', 'cancelled', 'ok'])
    expect(started).toEqual([0, 2])
  })

  test('whose input was invalid, later calls are skipped as well', async () => {
    const { run } = openFixtureRun(shell)
    run.add({ type: 'tool_use', id: 'call-0', name: 'Sh', input: 'no object' })
    run.add({ type: 'tool_use', id: 'call-1', name: 'Timed', input: {} })
    run.end()

    expect(await readCodes(run)).toEqual(['input_invalid', 'cancelled'])
  })
})

test('after a failed call of a tool that runs no shell commands, no other call is skipped', async () => {
  const { run, clock } = openFixtureRun()
  addAll(run, [{ shouldFail: true }, {}])
  run.end()
  await runToEnd(clock)

  expect(await readCodes(run)).toEqual(['tool_failed', 'ok'])
})

/** Calls of three tools: one runs no commands, `Sh` runs any command, and `Check` runs tests. */
interface RandomCall extends TimedInput {
  readonly tool: 'Timed' | 'Sh' | 'Check'
  readonly isDenied: boolean
}

const resource = fc.constantFrom<Resource>(
  ...['/r/a', '/r/b', '/r/a/x', '/r/c', './c', 'd'].map((path) => ({ path })),
  ...['todo:list', 'shell:cwd'].map((thing) => ({ thing })),
)
const randomCall: fc.Arbitrary<RandomCall> = fc
  .record(
    {
      tool: fc.constantFrom('Timed', 'Sh', 'Check'),
      ms: fc.integer({ min: 1, max: 9 }),
      isSafe: fc.boolean(),
      shouldFail: fc.nat(3).map((dice) => dice === 0),
      isDenied: fc.nat(5).map((dice) => dice === 0),
      resources: fc.record({
        reads: fc.array(resource, { maxLength: 2 }),
        writes: fc.array(resource, { maxLength: 1 }),
      }),
    },
    { requiredKeys: ['tool', 'ms', 'isSafe', 'shouldFail', 'isDenied'] },
  )
  .map(toConsistentCall)

/** Every command reads the working directory, and a check states nothing. */
function toConsistentCall(call: RandomCall): RandomCall {
  const { resources, ...otherFields } = call
  if (resources === undefined || call.tool === 'Check')
    return { ...otherFields, isSafe: call.isSafe === true && call.tool !== 'Check' }
  if (call.tool === 'Timed') return call
  return { ...call, resources: { ...resources, reads: [...(resources.reads ?? []), { thing: 'shell:cwd' }] } }
}

test('exactly the calls that depend on a failed command are skipped, and results stay in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomCall, { minLength: 2, maxLength: 9 }), async (calls) => {
      const refuseDenied = {
        checkPermissions: ({ isDenied }: RandomCall) =>
          isDenied
            ? { behavior: 'deny' as const, message: 'denied as requested' }
            : { behavior: 'passthrough' as const },
      }
      const { run, clock, started } = openFixtureRun({
        makeTools: (time) => [
          createTimedTool(time, refuseDenied),
          createTimedTool(time, { ...refuseDenied, name: 'Sh', needs: ['shell'] }),
          createTimedTool(time, {
            ...{ ...refuseDenied, name: 'Check', needs: ['shell'] },
            command: () => ({ text: 'npm test', language: 'bash' }),
          }),
        ],
      })
      addAll(
        run,
        calls,
        calls.map(({ tool }) => tool),
      )
      run.end()
      await runWhilePending(run, clock)

      const expected = predictCodes(calls)
      expect(await readCodes(run)).toEqual(expected)
      expect((await run.outcomes()).map(({ block }) => block.tool_use_id)).toEqual(calls.map((_, at) => `call-${at}`))
      expect(started.toSorted()).toEqual(
        [...calls.keys()].filter((at) => ['ok', 'tool_failed'].includes(expected[at] ?? '')),
      )
      for (const [at, text] of (await readTexts(run)).entries()) {
        if (expected[at] !== 'cancelled') continue
        const namedNumbers = [...String(text).matchAll(/\(call-(\d+)\)/g)].map((match) => Number(match[1]))
        expect(namedNumbers.every((index) => index < at && expected[index] !== 'ok')).toBe(true)
        const failedCommand = namedNumbers.at(-1) ?? at
        expect([calls[failedCommand]?.tool === 'Timed', expected[failedCommand] === 'cancelled']).toEqual([
          false,
          false,
        ])
      }
    }),
    createPropertyOptions(300),
  )
})

/** The first analysis of a command loads the parser, so calls may be pending although none sleeps. */
async function runWhilePending(run: CallRun, clock: FixtureClock): Promise<void> {
  let isPending = true
  const runEnd = run.outcomes().then(() => {
    isPending = false
  })
  while (isPending) {
    await new Promise(setImmediate)
    if (clock.sleeperCount > 0) clock.advance()
  }
  await runEnd
}

/** A direct implementation of the rule, by the names of resources. */
function predictCodes(calls: readonly RandomCall[]): readonly string[] {
  const codes: string[] = []
  const failedCalls: RandomCall[] = []
  for (const call of calls) {
    const isSkipped = failedCalls.some((failedCall) => dependsOn(call, failedCall))
    const code = isSkipped ? 'cancelled' : call.isDenied ? 'permission_denied' : call.shouldFail ? 'tool_failed' : 'ok'
    if (isSkipped || (code !== 'ok' && call.tool !== 'Timed')) failedCalls.push(call)
    codes.push(code)
  }
  return codes
}

function dependsOn(laterCall: RandomCall, failedCall: RandomCall): boolean {
  const isLaterCommand = laterCall.tool !== 'Timed'
  if (failedCall.resources !== undefined) {
    const writtenNames = toNames(failedCall.resources.writes)
    if (writtenNames.length === 0) return false
    const isInFolder = isLaterCommand || usesRelativePath(laterCall)
    if (writtenNames.includes('shell:cwd') && isInFolder) return true
    if (laterCall.resources === undefined) return !laterCall.isSafe
    const usedNames = [...toNames(laterCall.resources.reads), ...toNames(laterCall.resources.writes)]
    return writtenNames.some((one) => usedNames.some((other) => isOverlap(one, other)))
  }
  const changedNames = toNames(laterCall.resources?.writes).filter((name) => name !== 'shell:cwd')
  const onlyReads = laterCall.resources === undefined ? laterCall.isSafe === true : changedNames.length === 0
  if (failedCall.isSafe === true || onlyReads) return false
  const isIndependentOfCheck = laterCall.tool === 'Check' || (laterCall.resources !== undefined && !isLaterCommand)
  return !(failedCall.tool === 'Check' && isIndependentOfCheck)
}

function toNames(list: readonly Resource[] = []): readonly string[] {
  return list.map((each) => ('path' in each ? `/r/${each.path.replace(/^(?:\/r\/|\.\/)/, '')}` : each.thing))
}

function usesRelativePath({ resources }: RandomCall): boolean {
  const all = [...(resources?.reads ?? []), ...(resources?.writes ?? [])]
  return all.some((each) => ('path' in each ? !each.path.startsWith('/') : each.thing === 'shell:cwd'))
}

function isOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
}
