import './lib/restart-clean.mjs'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { estimateTokens } from 'haft/tool-search'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the tokens that the tools of a gateway cost its client: `node bench/mcp-gateway.mjs [FOLDER]`. The folder has a file
 * `{ tools }` for each server, as returned by `tools/list`. Without a folder, the catalogue is generated.
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
} finally {
  rmSync(folder, { recursive: true, force: true })
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
