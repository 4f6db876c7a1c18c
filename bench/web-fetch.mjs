import './lib/restart-clean.mjs'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { builtInTools, createToolRuntime } from 'haft'
import { computeMedian } from './lib/interleave.mjs'
import { createLongPage } from './lib/long-page.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the CPU time of this process, with all its threads, for a call of WebFetch with an HTML page of 200 kB: the first
 * call, which loads code, and later calls. The baseline is a thread that only parses the page.
 */
const ROUND_COUNT = 11
const MAX_CPU_MS = 150
const MAX_RATIO = 1.6

const parser = JSON.stringify(createRequire(import.meta.url).resolve('htmlparser2'))
const PARSE = `require(${parser}).parseDocument(new TextDecoder().decode(require('node:worker_threads').workerData))`

const page = new TextEncoder().encode(createLongPage(200_000))
const home = mkdtempSync(join(tmpdir(), 'haft-bench-'))
const runtime = createToolRuntime({
  tools: builtInTools,
  permissions: { allow: ['WebFetch'] },
  machine: { homeDir: home },
  ports: { http: { fetch: answer, openWebSocket: () => Promise.reject(new Error('Not used here.')) } },
})
try {
  const firstMs = await measureCpu(() => fetchPage(0))
  /** @type {{ fetch: number[], parse: number[], thread: number[] }} */
  const costs = { fetch: [], parse: [], thread: [] }
  for (let round = 1; round <= ROUND_COUNT; round++) {
    costs.thread.push(await measureCpu(() => runThread('')))
    costs.parse.push(await measureCpu(() => runThread(PARSE)))
    costs.fetch.push(await measureCpu(() => fetchPage(round)))
  }
  const [fetchMs, parseMs, threadMs] = [costs.fetch, costs.parse, costs.thread].map(computeMedian)
  const ratio = (fetchMs ?? Number.NaN) / (parseMs ?? Number.NaN)
  report(`CPU time of WebFetch with a page of ${page.length} bytes, median of ${ROUND_COUNT} interleaved rounds`, [
    { name: 'an empty thread', value: `${threadMs?.toFixed(0)} ms` },
    { name: 'a thread that parses the page with htmlparser2', value: `${parseMs?.toFixed(0)} ms` },
    createLimitedRow('WebFetch, the first call', firstMs),
    createLimitedRow('WebFetch, later calls', fetchMs ?? Number.NaN),
    {
      ...{ name: 'WebFetch, relative to parsing alone', value: `${ratio.toFixed(2)}×`, limit: `${MAX_RATIO}×` },
      isOver: isOverLimit(ratio, MAX_RATIO),
    },
  ])
} finally {
  await runtime.dispose()
  rmSync(home, { recursive: true, force: true })
}

/** @param {string} name @param {number} ms */
function createLimitedRow(name, ms) {
  return { name, value: `${ms.toFixed(0)} ms`, limit: `${MAX_CPU_MS} ms`, isOver: isOverLimit(ms, MAX_CPU_MS) }
}

/** @param {string} url */
async function answer(url) {
  const isPage = !url.endsWith('/robots.txt')
  return {
    ...{ status: isPage ? 200 : 404, url, headers: { 'content-type': 'text/html; charset=utf-8' }, isTruncated: false },
    body: isPage ? page : new Uint8Array(),
  }
}

/** @param {number} number */
async function fetchPage(number) {
  const input = { url: `https://example.com/${number}` }
  const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${number}`, name: 'WebFetch', input }]).results
  if (result === undefined || result.is_error === true) throw new Error(JSON.stringify(result?.content))
}

/** @param {() => Promise<unknown>} work */
async function measureCpu(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** @param {string} code */
async function runThread(code) {
  const worker = new Worker(`${code};require('node:worker_threads').parentPort.postMessage(0)`, {
    ...{ eval: true, workerData: page, execArgv: [], env: {} },
  })
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await worker.terminate()
}
