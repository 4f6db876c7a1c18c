import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { OpenRuns } from '../src/calls/open-runs.js'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { call, Echo } from './runtime-fixtures.js'

const TURNS = 1_000

async function* streamOf(calls: readonly ToolUseBlock[]): AsyncGenerator<ToolUseBlock> {
  yield* calls
}

test('a thousand turns leave no listener, record or timer behind', async () => {
  const { signal } = new AbortController()
  const added = vi.spyOn(OpenRuns.prototype, 'add')
  const runtime = createToolRuntime({
    tools: [Echo],
    hooks: { PreToolUse: [{ hooks: [{ type: 'function', run: () => undefined }] }] },
    ask: async () => ({ behavior: 'allow' }),
  })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const recorded: (number | undefined)[] = []

  for (let turn = 0; turn < TURNS; turn++) {
    const calls = [call('Echo', { text: 'x' }, `a${turn}`), call('Nobody', {}, `b${turn}`)]
    const agent = turn % 10 === 0 ? runtime.fork() : runtime
    await agent.run(turn % 2 === 0 ? calls : streamOf(calls), { signal }).results
    const opened = agent.open({ signal })
    opened.add(call('Echo', { text: 'y' }, `c${turn}`))
    opened.end()
    await opened.outcomes()
    if (turn % 100 === 0) recorded.push(runtime.results.state?.seenIds.size)
  }

  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(added).toHaveBeenCalledTimes(2 * TURNS)
  expect(new Set(added.mock.contexts).size).toBe(1)
  expect((added.mock.contexts[0] as OpenRuns).size).toBe(0)
  expect(new Set(recorded)).toEqual(new Set([0]))
  expect(timers()).toBe(before)
  expect(process.listenerCount('exit')).toBeLessThan(10)
})
