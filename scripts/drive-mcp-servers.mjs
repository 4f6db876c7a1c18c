// Installs real MCP servers from npm into a temporary folder and drives each with the built client: connect, list, and one
// harmless call where there is a tool for it. Not part of CI: it takes minutes and needs npm.
//
//   npm run build && node scripts/drive-mcp-servers.mjs [PACKAGE...]
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { connectMcpServers } from 'haft/mcp'

const run = promisify(execFile)
const CONCURRENT_SERVERS = 3
const INSTALL_LIMIT_MS = 240_000

/**
 * @typedef {object} Server
 * @property {string} name the package
 * @property {string[]} [args]
 * @property {Record<string, string>} [env] values that have the right form, but give no access
 * @property {{ tool: string, args: Record<string, unknown> }} [call] the call to make, if no tool without arguments only reads
 */

/** @type {readonly Server[]} */
const SERVERS = [
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    call: {
      tool: 'sequentialthinking',
      args: { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    },
  },
  { name: '@modelcontextprotocol/server-github', call: { tool: 'search_repositories', args: { query: 'mcp' } } },
  { name: '@modelcontextprotocol/server-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
  {
    name: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: 'xoxb-none', SLACK_TEAM_ID: 'T0' },
    call: { tool: 'slack_list_channels', args: {} },
  },
  {
    name: '@modelcontextprotocol/server-postgres',
    args: ['postgresql://127.0.0.1:1/none'],
    call: { tool: 'query', args: { sql: 'select 1' } },
  },
  { name: '@upstash/context7-mcp' },
  { name: 'mongodb-mcp-server', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  { name: 'mcp-server-kubernetes', call: { tool: 'ping', args: {} } },
  { name: '@antv/mcp-server-chart' },
  { name: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'ntn_none' } },
  { name: '@sentry/mcp-server', args: ['--access-token=none'] },
  { name: '@supabase/mcp-server-supabase', args: ['--access-token', 'sbp_none'] },
  { name: 'resend-mcp', env: { RESEND_API_KEY: 're_none' } },
  { name: '@line/line-bot-mcp-server', env: { CHANNEL_ACCESS_TOKEN: 'none', DESTINATION_USER_ID: 'U0' } },
  { name: '@mapbox/mcp-server', env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1Ijoibm9uZSJ9.none' } },
  { name: '@currents/mcp', env: { CURRENTS_API_KEY: 'none' } },
  { name: '@codacy/codacy-mcp', env: { CODACY_ACCOUNT_TOKEN: 'none' } },
  { name: '@rollbar/mcp-server', env: { ROLLBAR_ACCESS_TOKEN: 'none' } },
  { name: '@roychri/mcp-server-asana', env: { ASANA_ACCESS_TOKEN: 'none' } },
  { name: '@aashari/mcp-server-atlassian-jira' },
  { name: '@aashari/mcp-server-atlassian-bitbucket' },
  { name: '@amap/amap-maps-mcp-server', env: { AMAP_MAPS_API_KEY: 'none' } },
  { name: '@baidumap/mcp-server-baidu-map', env: { BAIDU_MAP_API_KEY: 'none' } },
  { name: '@twilio-alpha/mcp', args: ['AC00000000000000000000000000000000/SK00000000000000000000000000000000:none'] },
  { name: 'hostinger-api-mcp', env: { API_TOKEN: 'none' } },
  { name: '@launchdarkly/mcp-server', args: ['start', '--api-key', 'none'] },
  { name: '@digitalocean/mcp', env: { DIGITALOCEAN_API_TOKEN: 'none' } },
  { name: '@progress/kendo-react-mcp' },
  { name: 'xcodebuildmcp', args: ['mcp'] },
  { name: 'chrome-devtools-mcp' },
]

const { positionals } = parseArgs({ allowPositionals: true })
const servers = positionals.length === 0 ? SERVERS : SERVERS.filter(({ name }) => positionals.includes(name))
const folder = await mkdtemp(join(tmpdir(), 'haft-real-mcp-'))
let connectedCount = 0
let toolCount = 0
let refusedCount = 0
let answeredCount = 0
try {
  const pending = [...servers]
  const work = async () => {
    for (let server = pending.shift(); server !== undefined; server = pending.shift()) await drive(server)
  }
  await Promise.all(Array.from({ length: CONCURRENT_SERVERS }, work))
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(
  `${connectedCount} of ${servers.length} servers connected; ${toolCount} tools accepted, ${refusedCount} refused; ${answeredCount} calls answered`,
)

/** @param {Server} server */
async function drive(server) {
  const startedAt = performance.now()
  const result = await install(server)
    .then((command) => connectAndCall(server, command))
    .catch((error) => `FAILED  ${firstLine(error)}`)
  console.log(
    `${server.name.padEnd(48)} ${String(Math.round(performance.now() - startedAt)).padStart(6)} ms  ${result}`,
  )
}

/** @param {Server} server */
async function install({ name }) {
  const prefix = join(folder, name.replace(/\W/g, '_'))
  await mkdir(prefix)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', '--prefix', prefix, ...flags, name], { timeout: INSTALL_LIMIT_MS })
  const packageFolder = join(prefix, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const path = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
  if (path === undefined) throw new Error('the package has no program')
  return join(packageFolder, String(path))
}

/**
 * @param {Server} server
 * @param {string} program
 */
async function connectAndCall({ args = [], env = {}, call }, program) {
  const mcp = connectMcpServers({
    real: { command: process.execPath, args: [program, ...args], env, startTimeoutMs: 90_000, timeoutMs: 20_000 },
  })
  try {
    await mcp.get('real')?.connect()
    const [state] = mcp.states
    const definitions = mcp.get('real')?.offer?.definitions ?? []
    connectedCount++
    toolCount += definitions.length
    refusedCount += state?.refused.length ?? 0
    const refused = (state?.refused ?? []).map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    const chosen = call ?? chooseCall(definitions)
    const outcome = chosen === undefined ? 'no harmless call' : await callTool(mcp, chosen)
    const version = state?.info?.protocolVersion
    return `connected  ${version}  ${definitions.length} tools${refused && `, refused ${refused}`}  ${outcome}`
  } finally {
    await mcp.close()
  }
}

/**
 * A tool that only reads and needs no arguments.
 * @param {readonly { name: string, hints: { readOnly: boolean }, inputSchema: Readonly<Record<string, unknown>> }[]} definitions
 */
function chooseCall(definitions) {
  const tool = definitions.find(({ hints, inputSchema }) => {
    const { required } = inputSchema
    return hints.readOnly && (required === undefined || (Array.isArray(required) && required.length === 0))
  })
  return tool && { tool: tool.name, args: {} }
}

/**
 * @param {ReturnType<typeof connectMcpServers>} mcp
 * @param {{ tool: string, args: Record<string, unknown> }} call
 */
async function callTool(mcp, { tool, args }) {
  try {
    const { content, isError } = await mcp.port.callTool('real', tool, args, { signal: AbortSignal.timeout(30_000) })
    answeredCount++
    return `${tool}: ${isError === true ? 'error result' : 'result'} ${JSON.stringify(content).slice(0, 60)}`
  } catch (error) {
    answeredCount++
    return `${tool}: ${firstLine(error)}`
  }
}

/** @param {unknown} error */
function firstLine(error) {
  return String(error instanceof Error ? error.message : error)
    .replace(/\s+/g, ' ')
    .slice(0, 160)
}
