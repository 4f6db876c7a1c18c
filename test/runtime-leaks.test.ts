import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { CallRun } from '../src/calls/call-run.js'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { call, Echo } from './runtime-fixtures.js'

const TURN_COUNT = 1_000

async function* streamOf(calls: readonly ToolUseBlock[]): AsyncGenerator<ToolUseBlock> {
  yield* calls
}

test('a thousand turns leave no listener, record or timer behind', async () => {
  const { signal } = new AbortController()
  const runtime = createToolRuntime({
    tools: [Echo],
    hooks: { PreToolUse: [{ hooks: [{ type: 'function', run: () => undefined }] }] },
    ask: async () => ({ behavior: 'allow' }),
  })
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const timersBefore = countTimers()
  const recordCounts: (number | undefined)[] = []

  for (let turn = 0; turn < TURN_COUNT; turn++) {
    const calls = [call('Echo', { text: 'x' }, `a${turn}`), call('Nobody', {}, `b${turn}`)]
    const agent = turn % 10 === 0 ? runtime.fork() : runtime
    await agent.run(turn % 2 === 0 ? calls : streamOf(calls), { signal }).results
    const openRun = agent.open({ signal })
    openRun.add(call('Echo', { text: 'y' }, `c${turn}`))
    openRun.end()
    await openRun.outcomes()
    if (turn % 100 === 0) recordCounts.push(runtime.results.state?.seenIds.size)
  }

  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(new Set(recordCounts)).toEqual(new Set([0]))
  expect(countTimers()).toBe(timersBefore)
  expect(process.listenerCount('exit')).toBeLessThan(10)

  const unsettledRun = runtime.open()
  const closeSpy = vi.spyOn(CallRun.prototype, 'close')
  await runtime.dispose()
  expect(closeSpy.mock.contexts).toEqual([unsettledRun])
})
