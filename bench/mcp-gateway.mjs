import './lib/restart-clean.mjs'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { estimateTokens } from 'haft/tool-search'
import { computeMedian } from './lib/interleave.mjs'
import { openJsonRpcClient } from './lib/json-rpc-client.mjs'
import { createRow, createTimeRow, isOverLimit, report } from './lib/report.mjs'
import { readResidentBytes } from './lib/watch-memory.mjs'

/**
 * Measures what a gateway costs its client: the tokens of its tools, and its calls relative to those of a plain proxy of the
 * SDK. `node bench/mcp-gateway.mjs [FOLDER]`: the folder has a file `{ tools }` for each server, as returned by `tools/list`.
 * Without a folder, the catalogue is generated. HAFT_LONG_BENCH=1 adds a soak of 100,000 calls.
 */
const MAX_TOKENS = 1_999
const SERVER_PATH = resolve('bench/lib/catalogue-server.mjs')
const [catalogueFolder] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-gateway-'))
try {
  const files = catalogueFolder === undefined ? generateFiles() : listFiles(catalogueFolder)
  const tools = await listTools(files)
  const tokens = estimateTokens(JSON.stringify(tools))
  report(`Gateway: tokens of tools/list in front of ${files.length} servers`, [
    { name: 'tools shown', value: String(tools.length) },
    { name: 'tokens', value: String(tokens), limit: String(MAX_TOKENS), isOver: isOverLimit(tokens, MAX_TOKENS) },
  ])
  await benchCalls()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function benchCalls() {
  const proxy = await measureCalls('proxy', 6)
  const small = await measureCalls('gateway', 6)
  const large = await measureCalls('gateway', 5_000)
  report('Gateway: calls over stdio, relative to a plain proxy of the SDK in the same run', [
    createRow('the proxy, calls per second, 16 at once', Math.round(proxy.callsPerSecond), undefined, ''),
    createRow('the gateway, calls per second, 16 at once', Math.round(small.callsPerSecond), undefined, ''),
    createRow('time of a call, relative to the proxy', proxy.callsPerSecond / small.callsPerSecond, 1 / 0.6, '×'),
    createTimeRow('one call after the other, median over the proxy', small.medianMs - proxy.medianMs, 0.5),
    createRow('CPU of a call with 5,000 tools, relative to 6', large.cpuMs / small.cpuMs, 1.25, '×'),
    createTimeRow('first list with 5,000 tools', large.firstListMs, 2_000),
  ])
}

const CALL_COUNT = 2_000
const PARALLEL_CALLS = 16

/** @param {'proxy' | 'gateway'} kind @param {number} toolCount */
async function measureCalls(kind, toolCount) {
  const tools = Array.from({ length: toolCount }, (_, tool) => ({
    name: `tool_${tool}`,
    description: 'Does one of the many things that MCP servers do. '.repeat(5),
    inputSchema: { type: 'object', properties: { field: { type: 'string', description: 'A field' } } },
  }))
  const file = join(folder, `calls-${toolCount}.json`)
  writeFileSync(file, JSON.stringify({ tools }))
  const command = { command: process.execPath, args: [SERVER_PATH, file] }
  const config = JSON.stringify({ mcpServers: { server: command } })
  const rules = ['--allowed-tools', 'mcp__server', '--mcp-config', config]
  const args =
    kind === 'proxy'
      ? [resolve('bench/lib/sdk-proxy.mjs'), command.command, ...command.args]
      : [resolve('bin/haft'), 'mcp', 'serve', '--gateway', '--no-prefix', ...rules]
  const home = mkdtempSync(join(folder, 'home-'))
  const client = await openJsonRpcClient(args, { cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home } })
  const call = () => client.call('tool_1', { field: 'x' })
  const start = performance.now()
  await client.request('tools/list', {})
  const firstListMs = performance.now() - start
  for (let count = 0; count < CALL_COUNT / 4; count++) await call()
  const serialMs = []
  for (let count = 0; count < CALL_COUNT; count++) {
    const callStart = performance.now()
    await call()
    serialMs.push(performance.now() - callStart)
  }
  const cpuStartMs = client.readCpuMs()
  const parallelStart = performance.now()
  await callInParallel(call, CALL_COUNT)
  const callsPerSecond = (CALL_COUNT / (performance.now() - parallelStart)) * 1_000
  const cpuMs = (client.readCpuMs() - cpuStartMs) / CALL_COUNT
  if (kind === 'gateway' && toolCount === 6 && process.env.HAFT_LONG_BENCH === '1') await soak(call, client.pid)
  await client.close()
  return { callsPerSecond, medianMs: computeMedian(serialMs), cpuMs, firstListMs }
}

/** @param {() => Promise<unknown>} call @param {number} count */
async function callInParallel(call, count) {
  let remainingCount = count
  await Promise.all(
    Array.from({ length: PARALLEL_CALLS }, async () => {
      while (remainingCount-- > 0) await call()
    }),
  )
}

/**
 * Makes 100,000 calls and compares the memory after the first and the last 20,000.
 * @param {() => Promise<unknown>} call @param {number} pid
 */
async function soak(call, pid) {
  const megabytes = []
  for (let round = 0; round < 5; round++) {
    await callInParallel(call, 20_000)
    megabytes.push(Math.round(readResidentBytes(pid) / 1_000_000))
  }
  const [first = Number.NaN] = megabytes
  const last = megabytes.at(-1) ?? Number.NaN
  report('Gateway: soak of 100,000 calls', [
    createRow(`memory after each 20,000 calls: ${megabytes.join(', ')} MB; last to first`, last / first, 1.2, '×'),
  ])
}

/** @param {readonly string[]} files */
async function listTools(files) {
  const mcpServers = Object.fromEntries(
    files.map((file) => [basename(file, '.json'), { command: process.execPath, args: [SERVER_PATH, file] }]),
  )
  const config = join(folder, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers }))
  const client = new Client({ name: 'bench', version: '1' })
  const args = [resolve('bin/haft'), 'mcp', 'serve', '--gateway', '--no-prefix', '--mcp-config', config]
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'ignore' }),
  )
  const tools = await waitForStableList(client)
  await client.close()
  return tools
}

/**
 * Polls the list of tools until it no longer changes, because fifty servers start slowly.
 * @param {Client} client
 */
async function waitForStableList(client) {
  for (let previousText = ''; ; ) {
    const { tools } = await client.listTools()
    const text = JSON.stringify(tools)
    if (text === previousText) return tools
    previousText = text
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

/** @param {string} path */
function listFiles(path) {
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => resolve(path, name))
}

function generateFiles() {
  return Array.from({ length: 50 }, (_, server) => {
    const tools = Array.from({ length: 40 }, (_, tool) => ({
      name: `tool_${server}_${tool}`,
      description: 'Does one of the many things that MCP servers do. '.repeat(5),
      inputSchema: { type: 'object', properties: { field: { type: 'string', description: 'A field' } } },
      _meta: { 'anthropic/alwaysLoad': tool === 0 },
    }))
    const file = join(folder, `server-${server}.json`)
    writeFileSync(file, JSON.stringify({ tools }))
    return file
  })
}
