import { describe, expect, test } from 'vitest'
import {
  addAll,
  createWritingInput,
  openFixtureRun,
  readCodes,
  readTexts,
  runToEnd,
  settle,
} from '../testing/fixture-call-run.js'
import type { FixtureClock } from './fixture-clock.js'
import { createTimedTool } from './fixture-run.js'

describe('cancelling a run', () => {
  test('returns a result for each pending call, and starts no further call', async () => {
    const { run, clock, started, events } = openFixtureRun()
    addAll(run, [{ ms: 1, isSafe: true }, { ms: 9, isSafe: true }, {}, {}])
    await settle()
    clock.advance()
    await settle()

    run.cancel({ type: 'aborted', message: 'Enough.' })
    addAll(run, [{}])
    run.end()

    expect(await readCodes(run)).toEqual(['ok', 'cancelled', 'cancelled', 'cancelled', 'cancelled'])
    expect(started).toEqual([0, 1])
    expect(events.filter(({ type }) => type === 'call-started')).toHaveLength(2)
  })

  test('works through an abort signal, even one that was aborted before the run was opened', async () => {
    const { runtime } = openFixtureRun()
    const controller = new AbortController()
    const earlyRun = runtime.open({ signal: controller.signal })
    addAll(earlyRun, [{}])
    earlyRun.end()
    controller.abort()
    const lateRun = runtime.open({ signal: controller.signal })
    addAll(lateRun, [{}])
    lateRun.end()

    expect(await readCodes(earlyRun)).toEqual(['cancelled'])
    expect(await readCodes(lateRun)).toEqual(['cancelled'])
  })

  test('by discarding its message returns only the outcomes of calls that had started', async () => {
    const { run } = openFixtureRun()
    addAll(run, [{ ms: 9 }, {}])
    await settle()

    const outcomes = await run.discard('The message that made this call broke off.')

    expect(outcomes.map(({ block }) => block.tool_use_id)).toEqual(['call-0'])
    expect(await readCodes(run)).toEqual(['cancelled', 'cancelled'])
  })
})

describe('an interrupt by the user', () => {
  const cancelAndBlock = {
    makeTools: (clock: FixtureClock) => [
      createTimedTool(clock),
      createTimedTool(clock, { name: 'Block', interruptBehavior: () => 'block' }),
    ],
  }

  test('cancels the calls that allow it, started or not, and waits for the others', async () => {
    const { run, clock, started } = openFixtureRun(cancelAndBlock)
    addAll(run, [{ isSafe: true, ms: 9 }, { isSafe: true }, {}, {}], ['Timed', 'Block', 'Timed', 'Block'])
    await settle()

    expect(run.interrupt('stop that')).toEqual({ mustWait: true })
    addAll(run, [{}])
    run.end()
    await runToEnd(clock)

    expect(await readCodes(run)).toEqual(['cancelled', 'ok', 'cancelled', 'ok', 'cancelled'])
    expect(started).toEqual([0, 1, 3])
    expect(await readTexts(run)).toContainEqual(
      expect.stringContaining('The user cancelled this call and said: stop that'),
    )
  })

  test('does not let a call overtake an earlier one when the call between them is cancelled', async () => {
    const { run, clock, started } = openFixtureRun(cancelAndBlock)
    addAll(
      run,
      [{ ...createWritingInput('/a'), ms: 9 }, createWritingInput('/a'), createWritingInput('/a')],
      ['Block', 'Timed', 'Block'],
    )
    await settle()

    run.interrupt()
    run.add({ type: 'tool_use', id: 'call-3', name: 'Block', input: { resources: { reads: [{ path: '/a' }] } } })
    run.end()
    await settle()
    expect(started).toEqual([0])

    await runToEnd(clock)
    expect(started).toEqual([0, 2, 3])
    expect(await readCodes(run)).toEqual(['ok', 'cancelled', 'ok', 'ok'])
  })

  test('need not wait if all calls can be cancelled', async () => {
    const { run } = openFixtureRun(cancelAndBlock)
    addAll(run, [{}, {}])
    await settle()

    expect(run.interrupt()).toEqual({ mustWait: false })
    expect(run.interrupt()).toEqual({ mustWait: false })
  })
})
