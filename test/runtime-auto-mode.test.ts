import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { call, Echo, Read, textOf } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  await writeFile(join(folder, 'file'), 'text')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('auto mode', () => {
  const denyingClassifier = { classify: () => ({ verdict: 'deny' as const, reason: 'hostile' }) }
  const options: ToolRuntimeOptions = {
    tools: [Echo, Read],
    permissions: { mode: 'auto' },
    policy: { decisionPorts: { classifier: denyingClassifier } },
  }
  const listDenials = (results: readonly { content: unknown }[]) =>
    results.map(({ content }) => /auto-mode classifier denied/.test(String(content)))

  test('asks the user after three consecutive denials, and an allowed call resets the count', async () => {
    const askedCalls: string[] = []
    const runtime = createToolRuntime({
      ...options,
      cwd: folder,
      async ask({ toolUseId, message }) {
        askedCalls.push(toolUseId)
        expect(message).toMatch(/denied too many calls/)
        return { behavior: 'allow' }
      },
      scheduling: { rule: 'base' },
    })
    const runEcho = async (...ids: string[]) =>
      await runtime.run(ids.map((id) => call('Echo', { text: id }, id))).results

    const first = await runEcho('a', 'b', 'c', 'd')
    const denialCounts = runtime.state.denials
    const second = await runEcho('e')

    expect(listDenials(first)).toEqual([true, true, true, false])
    expect(askedCalls).toEqual(['d'])
    // The user allowed one call, which resets the count, so the classifier decides again.
    expect(denialCounts).toEqual({ consecutiveDenials: 0, totalDenials: 3 })
    expect(listDenials(second)).toEqual([true])
  })

  test('counts the denials of a sub-agent separately, from zero, and does not add them to its parent’s', async () => {
    const askedCalls: string[] = []
    const runtime = createToolRuntime({
      ...options,
      async ask({ toolUseId }) {
        askedCalls.push(toolUseId)
        return { behavior: 'deny' }
      },
      scheduling: { rule: 'base' },
    })
    const runEcho = (agent: typeof runtime, ids: string[]) =>
      agent.run(ids.map((id) => call('Echo', { text: id }, id))).results
    await runEcho(runtime, ['p1', 'p2'])
    const sub = runtime.fork()

    const subResults = await runEcho(sub, ['s1', 's2', 's3', 's4'])
    const parentResults = await runEcho(runtime, ['p3', 'p4'])

    expect(listDenials(subResults)).toEqual([true, true, true, false])
    expect(listDenials(parentResults)).toEqual([true, false])
    expect(askedCalls).toEqual(['s4', 'p4'])
    expect([runtime.state.denials, sub.state.denials]).toEqual([
      { consecutiveDenials: 3, totalDenials: 3 },
      { consecutiveDenials: 3, totalDenials: 3 },
    ])
  })

  test('asks after twenty denials in total, however many calls were allowed in between', async () => {
    const denialsWhenAsked: number[] = []
    const runtime = createToolRuntime({
      ...options,
      cwd: folder,
      ask: async () => {
        denialsWhenAsked.push(runtime.state.denials.totalDenials)
        return { behavior: 'allow' }
      },
    })

    for (let turn = 0; turn < 22; turn++) {
      await runtime.run([call('Echo', { text: 'act' })]).results
      await runtime.run([call('Read', { path: 'file' })]).results
    }

    expect(denialsWhenAsked).toEqual([20, 20])
  })

  test('without a user stops the run with a reason when the classifier has denied too many calls', async () => {
    const receivedStops: [string, unknown][] = []
    const runtime = createToolRuntime({
      ...options,
      scheduling: { rule: 'base' },
      conversation: { onStop: (reason, source) => receivedStops.push([reason, source]) },
    })

    const ids = ['a', 'b', 'c', 'd', 'e']
    const results = await runtime.run(ids.map((id) => call('Echo', { text: id }, id))).results

    expect(listDenials(results)).toEqual([true, true, true, false, false])
    expect(textOf(results[3])).toMatch(/^The classifier denied too many calls\..*There is no user to ask/)
    expect(textOf(results[4])).toMatch(/^The run was stopped\. The classifier denied too many calls/)
    expect(receivedStops).toEqual([[runtime.stopReason, {}]])
  })
})
