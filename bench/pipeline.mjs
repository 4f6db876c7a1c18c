import { buildTool, createToolRuntime } from 'haft'
import * as z from 'zod'
import { costOfACall, cpuTime, repeat } from './lib/cpu-time.mjs'
import { interleave, median } from './lib/interleave.mjs'
import { ratioRows, report } from './lib/report.mjs'
import { criticalPath, timeOf } from './lib/timer-calls.mjs'
import { installedPeers } from './peers/installed-peers.mjs'

/** What the road of a call costs, against a parser and a function alone and against other tool frameworks; and how long messages take. */
const inputSchema = z.object({ value: z.string() })
const noop = async () => 'ok'

await callCosts()
await turnCosts()
await waitingTimes()

async function callCosts() {
  const runtime = openRuntime()
  const peers = await installedPeers()
  const cases = [
    { name: 'schema.parse + await fn()', turn: plainTurn, turns: 1_000 },
    { name: 'haft', turn: (/** @type {number} */ count) => runtime.run(calls(count)).results, turns: 300 },
    ...peers.map(({ name, turn }) => ({ name, turn, turns: name === 'pi-agent' ? 200 : 15 })),
  ].map(({ name, turn, turns }) => ({ name, run: () => costOfACall(turn, turns) }))
  const [baseline, ...others] = cases
  if (baseline === undefined) return
  // The compiler is done with a case only after some thousand calls.
  for (const { run } of cases) await run()
  const results = await interleave({ rounds: 15, cases: [baseline, ...others] })
  report('CPU of a further call in a turn, median of 15 interleaved rounds', ratioRows(results, 'µs'))
  report('Limits of the above', limitRows(results))
  await runtime.dispose()
}

/** @param {readonly { name: string, median: number }[]} results */
function limitRows(results) {
  const haft = results.find(({ name }) => name === 'haft')?.median ?? Number.NaN
  const pi = results.find(({ name }) => name === 'pi-agent')?.median
  return [
    { name: 'haft', value: `${haft.toFixed(2)} µs`, limit: '5 µs', isOver: haft > 5 },
    ...(pi === undefined
      ? []
      : [{ name: 'haft to pi-agent', value: `${(haft / pi).toFixed(2)}×`, limit: '0.7×', isOver: haft / pi > 0.7 }]),
  ]
}

async function turnCosts() {
  const runtime = openRuntime()
  const hundred = () => runtime.run(calls(100)).results
  const together = []
  for (let round = 0; round < 30; round++) together.push((await cpuTime(() => repeat(hundred, 10))) / 10_000)
  await runtime.dispose()
  const each = median(together)
  report('A turn of 100 calls at once that do nothing, median of 30 rounds', [
    { name: 'CPU', value: `${each.toFixed(2)} ms`, limit: '2 ms', isOver: each > 2 },
  ])

  const conversations = await interleave({
    rounds: 9,
    cases: [
      { name: 'a turn of the first 100', run: () => costOfATurn(100) },
      { name: 'a turn of 1,000', run: () => costOfATurn(1_000), limit: 1.1 },
    ],
  })
  report(
    'A turn of one call in a conversation that grows, median of 9 interleaved rounds',
    ratioRows(conversations, 'µs'),
  )
}

/** @param {number} turns */
async function costOfATurn(turns) {
  const runtime = openRuntime()
  /** @type {import('haft').Message[]} */
  const messages = []
  const cost = await cpuTime(() =>
    repeat(async () => {
      const content = calls(1)
      const results = await runtime.run(content, { messages }).results
      messages.push({ type: 'assistant', content }, { type: 'user', content: results })
    }, turns),
  )
  await runtime.dispose()
  return cost / turns
}

async function waitingTimes() {
  const sleeps = Array.from({ length: 100 }, () => ({ ms: 20, isSafe: true }))
  const mix = mixedCalls()
  const ideal = criticalPath(mix)
  /** @type {{ sleeps: number[], byResources: number[], byBase: number[] }} */
  const times = { sleeps: [], byResources: [], byBase: [] }
  for (let round = 0; round < 7; round++) {
    times.sleeps.push(await timeOf(sleeps, 'resources'))
    times.byResources.push(await timeOf(mix, 'resources'))
    times.byBase.push(await timeOf(mix, 'base'))
  }
  const [asleep, byResources, byBase] = [median(times.sleeps), median(times.byResources), median(times.byBase)]
  report('Time that messages take, median of 7 interleaved rounds', [
    limited('100 calls of 20 ms, 10 at once, to the ideal 200 ms', asleep, 200, 1.1),
    limited(`12 mixed calls, to their critical path of ${ideal} ms`, byResources, ideal, 1.15),
    limited(`the same, to the base rule (${byBase.toFixed(0)} ms)`, byResources, byBase, 1),
  ])
}

/** Reads, edits and searches as a model asks for them in one message. */
function mixedCalls() {
  const read = (/** @type {string} */ path, /** @type {number} */ ms) => ({ ms, reads: [path], isSafe: true })
  const edit = (/** @type {string} */ path, /** @type {number} */ ms) => ({ ms, writes: [path] })
  return [
    read('/p/src/a.ts', 30),
    edit('/p/src/b.ts', 40),
    edit('/p/src/c.ts', 60),
    read('/p/src/b.ts', 20),
    edit('/p/src/b.ts', 50),
    edit('/p/docs/d.md', 80),
    edit('todo:list', 10),
    read('/p/docs', 40),
    edit('/p/src/c.ts', 30),
    edit('todo:list', 20),
    read('/p/src', 70),
    edit('/p/docs/e.md', 30),
  ]
}

/**
 * @param {string} name
 * @param {number} time
 * @param {number} ideal
 * @param {number} limit
 */
function limited(name, time, ideal, limit) {
  const ratio = time / ideal
  return { name, value: `${time.toFixed(0)} ms, ${ratio.toFixed(3)}×`, limit: `${limit}×`, isOver: ratio > limit }
}

function openRuntime() {
  const tool = buildTool({
    ...{ name: 'noop', description: 'Does nothing', inputSchema },
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    call: async () => ({ data: await noop() }),
  })
  return createToolRuntime({ tools: [tool], permissions: { allow: ['noop'] } })
}

/**
 * @param {number} count
 * @returns {import('haft').ToolUseBlock[]}
 */
function calls(count) {
  return Array.from({ length: count }, (_, index) => ({
    ...{ type: 'tool_use', id: `call-${index}`, name: 'noop', input: { value: 'a' } },
  }))
}

/** @param {number} count */
async function plainTurn(count) {
  for (const { input } of calls(count)) {
    inputSchema.parse(input)
    await noop()
  }
}
