import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { computeMedian } from './interleave.mjs'
import { isOverLimit } from './report.mjs'

const TOOL_COUNT = 10_000
const SERVER_TOOLS = 50
const ROUND_COUNT = 9
const MB = 1024 * 1024

/**
 * Measures the costs with ten thousand tools: the time to build, search and change the index, its memory, and the longest
 * block of the event loop.
 * @param {import('./load-ranker.mjs').Ranker} ranker just loaded, so that reading its tables is measured here
 * @param {readonly import('./tool-search-data.mjs').BenchTool[]} tools
 * @param {readonly import('./retrieval-metrics.mjs').Query[]} queries
 */
export async function measureToolSearchSpeed(ranker, tools, queries) {
  const manyTools = Array.from({ length: TOOL_COUNT + SERVER_TOOLS }, (_, index) => createNumberedTool(tools, index))
  const serverTools = manyTools.slice(TOOL_COUNT)
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc')
  collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  const {
    longestBlock,
    cpu: buildCpu,
    time: buildMs,
  } = await measureFirstSearch(ranker, manyTools.slice(0, TOOL_COUNT))
  const lexicon = await ranker.loadLexicon()
  const index = ranker.createToolIndex(lexicon)
  index.add(manyTools.slice(0, TOOL_COUNT))
  index.search('first', 5)
  collectGarbage()
  const heapGrowth = process.memoryUsage().heapUsed - heapBefore

  const keywords = queries.filter(({ style }) => style === 'keywords').map(({ query }) => query)
  const sentences = queries.filter(({ style }) => style !== 'keywords').map(({ query }) => query)
  const rounds = Array.from({ length: ROUND_COUNT }, () => ({
    add: measureTime(() => index.add(serverTools)),
    remove: measureTime(() => index.remove(serverTools.map(({ key }) => key))),
  }))
  return [
    createRow(
      `first search in 10,000 tools, including reading the tables (CPU ${buildCpu.toFixed(0)} ms)`,
      buildMs,
      1_500,
    ),
    createRow('longest event-loop block of the first searches', longestBlock, 50),
    ...measureSearches('keywords', keywords, 1, (query) => index.search(query, 5)),
    ...measureSearches('sentences', sentences, 5, (query) => index.search(query, 5)),
    createRow('adding the first server of 50 tools', rounds[0]?.add ?? 0, 10),
    createRow('adding a server of 50 tools', computeMedian(rounds.map(({ add }) => add)), 10),
    createRow('removing a server of 50 tools', computeMedian(rounds.map(({ remove }) => remove)), 10),
    { name: 'memory of index and tables', value: `${(heapGrowth / MB).toFixed(0)} MB` },
  ]
}

/**
 * Measures the first searches of a process: the time of the first one, and the longest event-loop block for all forms of
 * query.
 * @param {import('./load-ranker.mjs').Ranker} ranker
 * @param {readonly import('./tool-search-data.mjs').BenchTool[]} tools
 */
async function measureFirstSearch(ranker, tools) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const waitTurn = () => new Promise((resolve) => setTimeout(resolve, 5))
  await waitTurn()
  delay.enable()
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const finder = await ranker.createToolFinder()
  await finder.addInSlices(tools)
  finder.find('send a message', 5)
  const time = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const query of ['+mail send', 'select:not_there,neither_there', 'list_', '发送消息']) {
    await waitTurn()
    finder.find(query, 5)
    finder.findNearestServers(query, 3)
  }
  await waitTurn()
  delay.disable()
  return { longestBlock: delay.max / 1e6, cpu: (user + system) / 1000, time }
}

/**
 * @param {string} name
 * @param {readonly string[]} queries
 * @param {number} limit
 * @param {(query: string) => unknown} ask
 */
function measureSearches(name, queries, limit, ask) {
  if (queries.length === 0) return []
  for (const query of queries) ask(query)
  const times = queries.map((query) => measureTime(() => ask(query))).sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0
  return [
    createRow(`${name}, median`, computeMedian(times), limit),
    { name: `${name}, p99`, value: `${p99.toFixed(2)} ms` },
  ]
}

/**
 * Returns a tool for any index: the list is repeated, with a new key for each index.
 * @param {readonly import('./tool-search-data.mjs').BenchTool[]} tools
 * @param {number} index
 */
function createNumberedTool(tools, index) {
  const tool = tools[index % tools.length]
  if (tool === undefined) throw new Error('The catalogue has no tools.')
  return { ...tool, key: `${index} ${tool.key}` }
}

/** @param {() => unknown} action */
function measureTime(action) {
  const start = performance.now()
  action()
  return performance.now() - start
}

/**
 * @param {string} name
 * @param {number} time
 * @param {number} limit
 */
function createRow(name, time, limit) {
  return { name, value: `${time.toFixed(2)} ms`, limit: `${limit} ms`, isOver: isOverLimit(time, limit) }
}
