import './lib/restart-clean.mjs'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createToolRuntime } from 'haft'
import { connectMcpServers, nameTools, readDefinitions } from 'haft/mcp'
import { measureCpuTime } from './lib/cpu-time.mjs'
import { interleave } from './lib/interleave.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the start-up with MCP servers relative to none, and calls relative to those of the SDK. `node bench/mcp.mjs
 * [FOLDER]`: the folder has a file `{ tools }` for each server, as returned by `tools/list`. Without a folder, the catalogue
 * is generated.
 */
const SERVER_COUNT = 50
const CALL_COUNT = 50
const SERVER_PATH = resolve('bench/lib/catalogue-server.mjs')
const [catalogueFolder] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-mcp-'))
try {
  const files =
    catalogueFolder === undefined ? generateCatalogue(join(folder, 'catalogue')) : listFiles(catalogueFolder)
  checkCatalogue(files)
  await benchFirstRequest(files.slice(0, SERVER_COUNT))
  await benchCalls()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string} path */
function listFiles(path) {
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => resolve(path, name))
}

/** @param {string} path */
function generateCatalogue(path) {
  mkdirSync(path)
  return Array.from({ length: SERVER_COUNT }, (_, server) => {
    const tools = Array.from({ length: 40 }, (_, tool) => ({
      name: `tool_${server}_${tool}`,
      description: 'Does one of the many things that MCP servers do. '.repeat(5),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 8 }, (_, field) => [`field_${field}`, { type: 'string', description: 'A field' }]),
        ),
      },
    }))
    const file = join(path, `server-${server}.json`)
    writeFileSync(file, JSON.stringify({ tools }))
    return file
  })
}

/**
 * Checks that every definition is accepted, or refused with a reason, and that all names are valid and unique.
 * @param {readonly string[]} files
 */
function checkCatalogue(files) {
  /** @type {import('haft/mcp').ServerTools[]} */
  const servers = []
  /** @type {string[]} */
  const refusals = []
  for (const file of files) {
    const server = basename(file, '.json')
    const { definitions, refused } = readDefinitions(JSON.parse(readFileSync(file, 'utf8')).tools)
    refusals.push(...refused.map(({ name, reason }) => `${server} ${name}: ${reason}`))
    servers.push({ serverName: server, toolNames: definitions.map(({ name }) => name), prefix: true })
  }
  const names = nameTools(servers, new Set()).flat()
  const validNames = new Set(names.filter((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)))
  const invalidCount = names.length - validNames.size
  for (const refusal of refusals) console.log(`  refused: ${refusal}`)
  report(`Definitions of ${files.length} servers`, [
    { name: 'accepted', value: String(names.length) },
    { name: 'refused with a reason', value: String(refusals.length) },
    {
      name: 'invalid or duplicate names',
      value: String(invalidCount),
      limit: '0',
      isOver: isOverLimit(invalidCount, 0),
    },
  ])
}

/** @param {readonly string[]} files */
async function benchFirstRequest(files) {
  const emptyConfigPath = join(folder, 'none.json')
  const allServers = join(folder, 'all.json')
  writeFileSync(emptyConfigPath, '{}')
  const servers = files.map((file) => [
    basename(file, '.json'),
    { command: process.execPath, args: [SERVER_PATH, file] },
  ])
  writeFileSync(allServers, JSON.stringify(Object.fromEntries(servers)))
  const warmHome = join(folder, 'warm')
  const firstStart = timeFirstRequest(warmHome, allServers, 'settle')
  let homeCount = 0
  const results = await interleave({
    rounds: 11,
    cases: [
      { name: 'no servers', run: () => timeFirstRequest(join(folder, 'none'), emptyConfigPath).first },
      {
        name: `${files.length} servers, first start`,
        run: () => timeFirstRequest(join(folder, `cold-${homeCount++}`), allServers).first,
        limit: 1.15,
      },
      {
        name: `${files.length} servers with cached definitions`,
        run: () => timeFirstRequest(warmHome, allServers).first,
        limit: 1.15,
      },
    ],
  })
  report('Time to the first request, median of 11 interleaved rounds', createRatioRows(results, 'ms'))
  const cachedStart = timeFirstRequest(warmHome, allServers, 'settle')
  report('Time until all tools are available', [
    { name: `first start, ${firstStart.tools} tools`, value: `${firstStart.all.toFixed(0)} ms` },
    { name: `with cached definitions, ${cachedStart.tools} tools`, value: `${cachedStart.all.toFixed(0)} ms` },
  ])
}

/**
 * @param {string} home
 * @param {string} servers
 * @param {string[]} extraArgs
 * @returns {{ first: number, all: number, tools: number }}
 */
function timeFirstRequest(home, servers, ...extraArgs) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['bench/lib/mcp-first-request.mjs', home, servers, ...extraArgs],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

async function benchCalls() {
  const tool = { name: 'say', inputSchema: { type: 'object' } }
  const file = join(folder, 'say.json')
  writeFileSync(file, JSON.stringify({ tools: [tool] }))
  const command = { command: process.execPath, args: [SERVER_PATH, file] }
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
  const servers = connectMcpServers({ server: command })
  await servers.settled()
  const server = servers.get('server')
  const runtime = createToolRuntime({
    tools: [],
    machine: { homeDir: folder },
    mcpServers: { server: command },
    permissions: { allow: ['mcp__server'] },
  })
  await (await runtime.mcp())?.settled()
  const call = { type: /** @type {const} */ ('tool_use'), name: `mcp__server__${tool.name}`, input: {} }
  const [result] = await runtime.run([{ ...call, id: 'first' }]).results
  if (result?.is_error === true) throw new Error(`The call failed: ${result.content}`)
  const clients = {
    'the SDK': () => client.callTool({ name: tool.name, arguments: {} }),
    'an MCP server of Haft': () => server?.callTool(tool.name, {}),
    'the whole pipeline': (/** @type {number} */ index) => runtime.run([{ ...call, id: String(index) }]).results,
  }
  for (const [unit, measure] of /** @type {const} */ ([
    ['wall', measureWallTime],
    ['CPU', measureCpuTime],
  ])) {
    const [sdk, haft, pipeline] = Object.entries(clients).map(([name, callOnce]) => ({
      name,
      run: async () => (await measure(() => callInTurn(callOnce))) / CALL_COUNT,
    }))
    if (sdk === undefined || haft === undefined || pipeline === undefined) throw new Error('A client is missing.')
    // Wall time depends on how the system schedules the two processes of a call, so only CPU time has a limit.
    const limit = unit === 'CPU' ? { limit: 1.25 } : {}
    const results = await interleave({ rounds: 61, cases: [sdk, { ...haft, ...limit }, pipeline] })
    report(`${unit} time of a call over stdio, median of 61 interleaved rounds`, createRatioRows(results, 'µs'))
  }
  await Promise.all([client.close(), servers.close(), runtime.dispose()])
}

/** @param {(index: number) => unknown} call */
async function callInTurn(call) {
  for (let index = 0; index < CALL_COUNT; index++) await call(index)
}

/** @param {() => unknown} action */
async function measureWallTime(action) {
  const start = performance.now()
  await action()
  return (performance.now() - start) * 1000
}
