// Prints the milliseconds from process start to the first request: `node mcp-first-request.mjs HOME SERVERS [settle]`.
import { readFileSync } from 'node:fs'
import { builtInTools, createToolRuntime } from 'haft'

const [home = '', servers = '', settle] = process.argv.slice(2)
const mcpServers = JSON.parse(readFileSync(servers, 'utf8'))
const runtime = createToolRuntime({
  tools: builtInTools,
  machine: { homeDir: home },
  ...(Object.keys(mcpServers).length > 0 && { mcpServers }),
})
const request = JSON.stringify({ tools: await runtime.definitions() })
const firstRequestMs = performance.now()
if (request.length < 100) throw new Error('The first request has no tools.')
if (settle === 'settle') await (await runtime.mcp())?.settled()
const allToolsMs = performance.now()
console.log(JSON.stringify({ first: firstRequestMs, all: allToolsMs, tools: runtime.pool.length }))
await runtime.dispose()
