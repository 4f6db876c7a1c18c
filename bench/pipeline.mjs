import './lib/restart-clean.mjs'
import { measureAgentCosts } from './lib/agent-costs.mjs'
import { measureCpuTime, repeat } from './lib/cpu-time.mjs'
import { computeCriticalPath } from './lib/critical-path.mjs'
import { computeMedian, interleave } from './lib/interleave.mjs'
import { createRatioRows, createUnmeasuredRow, isOverLimit, report } from './lib/report.mjs'
import { runParts } from './lib/run-parts.mjs'
import { measureTime } from './lib/timer-calls.mjs'
import { startTurnProcess } from './lib/turn-process.mjs'
import { createCalls, createHaftTurn, openRuntime, PLAIN_TURN_NAME, TURN_RUNNERS } from './lib/turns.mjs'

const TODO_LIST = { thing: 'todo:list' }

/**
 * Measures the costs of the pipeline: CPU time of turns and calls, relative to other agents, to other tool frameworks and to a schema
 * and a function alone; and the time of messages whose calls wait for each other.
 */
await runParts({
  session: reportAgentCosts,
  calls: reportCallCosts,
  turns: reportTurnCosts,
  waiting: reportWaitingTimes,
})

/** Compares the costs of `Session.ask` with those of pi's `runAgentLoop`, both with a scripted model. */
async function reportAgentCosts() {
  const lengths = ['turn of 100', 'turn of 300', 'turn of 1,000']
  const figures = ['call', 'turn', ...lengths, 'growth', 'tool', 'creation']
  const costs = await measureAgentCosts({ agents: ['pi-agent', 'haft'], figures, rounds: 15 })
  const costOf = (/** @type {string} */ figure, agent = 'haft') => costs.get(figure)?.get(agent) ?? Number.NaN
  if (Number.isNaN(costOf('turn'))) throw new Error('haft was not measured; the reason is printed above.')
  const growth = costOf('growth')
  report('CPU of an agent: Session.ask against pi-agent, median of 15 interleaved rounds', [
    compareWithPi('a further call in a message', costOf('call'), costOf('call', 'pi-agent'), 2),
    compareWithPi('a prompt, one call and an answer', costOf('turn'), costOf('turn', 'pi-agent'), 4),
    ...lengths.map((name) => compareWithPi(`a ${name}`, costOf(name), costOf(name, 'pi-agent'))),
    {
      ...{
        name: `turn 1,000 to turn 100 (pi-agent ${formatFigure(costOf('growth', 'pi-agent'), 2, '×')})`,
        value: `${growth.toFixed(2)}×`,
      },
      ...{ limit: '1.1×', isOver: isOverLimit(growth, 1.1) },
    },
    createLimitRow('each of 1,000 tools, per turn', costOf('tool'), 0.01),
    createLimitRow(
      `runtime and session created (pi-agent ${formatFigure(costOf('creation', 'pi-agent'), 0, ' µs')})`,
      costOf('creation'),
      150,
    ),
  ])
}

/**
 * @param {number} figure NaN if the peer does not run here
 * @param {number} digits
 * @param {string} unit
 */
function formatFigure(figure, digits, unit) {
  return Number.isNaN(figure) ? 'not measured' : `${figure.toFixed(digits)}${unit}`
}

/**
 * @param {string} name
 * @param {number} cost
 * @param {number} costOfPi
 * @param {number} [limit] of the ratio
 */
function compareWithPi(name, cost, costOfPi, limit) {
  const ratio = cost / costOfPi
  if (Number.isNaN(costOfPi)) return createUnmeasuredRow(`${name} (${cost.toFixed(1)} µs) relative to pi-agent`)
  return {
    name: `${name} (${cost.toFixed(1)} µs, pi-agent ${costOfPi.toFixed(1)})`,
    value: `${ratio.toFixed(2)}×`,
    ...(limit !== undefined && { limit: `${limit}×`, isOver: isOverLimit(ratio, limit) }),
  }
}

/**
 * @param {string} name
 * @param {number} cost in microseconds
 * @param {number} limit
 */
function createLimitRow(name, cost, limit) {
  return { name, value: `${cost.toFixed(3)} µs`, limit: `${limit} µs`, isOver: isOverLimit(cost, limit) }
}

async function reportCallCosts() {
  const processes = []
  for (const name of Object.keys(TURN_RUNNERS)) processes.push(await startTurnProcess(name))
  const [plain, ...others] = processes.filter((process) => process !== undefined)
  if (plain?.name !== PLAIN_TURN_NAME)
    throw new Error(`The baseline ${PLAIN_TURN_NAME} does not run; the reason is printed above.`)
  if (processes.includes(undefined)) console.log('To install the peers: npm ci --prefix bench/peers')
  const results = await interleave({ rounds: 15, cases: [plain, ...others] })
  for (const { end } of [plain, ...others]) end()
  report('CPU time of a further call in a turn, median of 15 interleaved rounds, each case in its own process', [
    ...createRatioRows(results, 'µs'),
  ])
  report('Limits for a further call in a turn', createLimitRows(results))
}

/** @param {readonly { name: string, median: number }[]} results */
function createLimitRows(results) {
  const haft = results.find(({ name }) => name === 'haft')?.median
  if (haft === undefined) throw new Error('haft was not measured; the reason is printed above.')
  const pi = results.find(({ name }) => name === 'pi-agent')?.median
  return [
    { name: 'haft', value: `${haft.toFixed(2)} µs`, limit: '5 µs', isOver: isOverLimit(haft, 5) },
    pi === undefined
      ? createUnmeasuredRow('haft relative to pi-agent')
      : {
          name: 'haft relative to pi-agent',
          value: `${(haft / pi).toFixed(2)}×`,
          limit: '0.7×',
          isOver: isOverLimit(haft / pi, 0.7),
        },
  ]
}

async function reportTurnCosts() {
  const runtime = openRuntime()
  const turn = createHaftTurn(runtime)
  const makeHundredCalls = () => turn(100)
  const turnTimes = []
  for (let round = 0; round < 30; round++)
    turnTimes.push((await measureCpuTime(() => repeat(makeHundredCalls, 10))) / 10_000)
  await runtime.dispose()
  const turnMs = computeMedian(turnTimes)
  report('A turn with 100 parallel calls that do nothing, median of 30 rounds', [
    { name: 'CPU time', value: `${turnMs.toFixed(2)} ms`, limit: '2 ms', isOver: isOverLimit(turnMs, 2) },
  ])

  const conversations = await interleave({
    rounds: 21,
    cases: [
      { name: 'a turn in ten conversations of 100 turns', run: () => measureTurn(10, 100) },
      { name: 'a turn in one conversation of 1,000 turns', run: () => measureTurn(1, 1_000), limit: 1.05 },
    ],
  })
  report(
    'A turn with one call in a growing conversation, median of 21 interleaved rounds',
    createRatioRows(conversations, 'µs'),
  )
}

/**
 * @param {number} conversations
 * @param {number} turns
 */
async function measureTurn(conversations, turns) {
  let cost = 0
  for (let conversation = 0; conversation < conversations; conversation++) cost += await measureConversation(turns)
  return cost / conversations / turns
}

/** @param {number} turns */
async function measureConversation(turns) {
  const runtime = openRuntime()
  /** @type {import('haft').Message[]} */
  const messages = []
  const turn = async () => {
    const content = createCalls(1)
    const results = await runtime.run(content, { messages }).results
    messages.push({ type: 'assistant', content }, { type: 'user', content: results })
  }
  const cost = await measureCpuTime(() => repeat(turn, turns))
  await runtime.dispose()
  return cost
}

async function reportWaitingTimes() {
  const sleeps = Array.from({ length: 100 }, () => ({ ms: 20, isSafe: true }))
  const mixedCalls = createMixedCalls()
  const criticalPathMs = computeCriticalPath(mixedCalls)
  /** @type {{ sleeps: number[], byResources: number[], byBase: number[] }} */
  const times = { sleeps: [], byResources: [], byBase: [] }
  for (let round = 0; round < 7; round++) {
    times.sleeps.push(await measureTime(sleeps, 'resources'))
    times.byResources.push(await measureTime(mixedCalls, 'resources'))
    times.byBase.push(await measureTime(mixedCalls, 'base'))
  }
  const [sleepMs, resourcesTime, baseTime] = [
    computeMedian(times.sleeps),
    computeMedian(times.byResources),
    computeMedian(times.byBase),
  ]
  report('Time of a message, median of 7 interleaved rounds', [
    createRatioRow('100 calls of 20 ms, 10 at a time, relative to the ideal 200 ms', sleepMs, 200, 1.1),
    createRatioRow(
      `12 mixed calls, relative to their critical path of ${criticalPathMs} ms`,
      resourcesTime,
      criticalPathMs,
      1.15,
    ),
    createRatioRow(`the same, relative to the base rule (${baseTime.toFixed(0)} ms)`, resourcesTime, baseTime, 1),
  ])
}

/** Creates reads and writes of files and of a todo list, as a model may combine them in one message. */
function createMixedCalls() {
  const createReadCall = (/** @type {string} */ path, /** @type {number} */ ms) => ({
    ms,
    reads: [{ path }],
    isSafe: true,
  })
  const createEditCall = (/** @type {string} */ path, /** @type {number} */ ms) => ({ ms, writes: [{ path }] })
  return [
    createReadCall('/p/src/a.ts', 30),
    createEditCall('/p/src/b.ts', 40),
    createEditCall('/p/src/c.ts', 60),
    createReadCall('/p/src/b.ts', 20),
    createEditCall('/p/src/b.ts', 50),
    createEditCall('/p/docs/d.md', 80),
    { ms: 10, writes: [TODO_LIST] },
    createReadCall('/p/docs', 40),
    createEditCall('/p/src/c.ts', 30),
    { ms: 20, writes: [TODO_LIST] },
    createReadCall('/p/src', 70),
    createEditCall('/p/docs/e.md', 30),
  ]
}

/**
 * @param {string} name
 * @param {number} time
 * @param {number} ideal
 * @param {number} limit
 */
function createRatioRow(name, time, ideal, limit) {
  const ratio = time / ideal
  return {
    name,
    value: `${time.toFixed(0)} ms, ${ratio.toFixed(3)}×`,
    limit: `${limit}×`,
    isOver: isOverLimit(ratio, limit),
  }
}
