import './lib/restart-clean.mjs'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTool, builtInTools, createToolRuntime, deferredToolsText, definitionTokens, estimateTokens } from 'haft'
import { report } from './lib/report.mjs'

/**
 * What the tools of many servers cost in the first request, deferred and inline: `node bench/tool-search-tokens.mjs [FOLDER]`,
 * where the folder holds a JSON file `{ server, tools }` for each server, as `tools/list` answers. Made-up servers if left out.
 */
const LIMIT = 1 / 20
const [folder] = process.argv.slice(2)
const mcpTools = Object.freeze(folder === undefined ? madeUpTools() : catalogueTools(folder))

const inline = await firstRequest('false')
const deferred = await firstRequest('true')
const ratio = deferred / inline
report(`Tool search: tokens of the first request, ${mcpTools.length} tools of servers`, [
  { name: 'every definition', value: String(inline) },
  { name: 'deferred, with the announcement', value: String(deferred) },
  { name: 'ratio', value: ratio.toFixed(4), limit: '0.05', isOver: ratio > LIMIT },
])

/**
 * The tools of the request, and what the conversation begins with.
 * @param {string} mode
 */
async function firstRequest(mode) {
  const runtime = createToolRuntime({
    tools: builtInTools,
    mcpTools: () => mcpTools,
    toolSearch: { mode },
    onProblem: () => {},
  })
  const definitions = await runtime.definitions()
  const announcement = await runtime.announce([])
  await runtime.dispose()
  const text = announcement === undefined ? '' : (deferredToolsText(announcement) ?? '')
  return definitions.reduce((sum, definition) => sum + definitionTokens(definition), estimateTokens(text))
}

/** @param {string} folder */
function catalogueTools(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.flatMap((file) => {
    const { server, tools } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return tools.map((/** @type {CatalogueTool} */ tool) => serverTool(server, tool))
  })
}

/** @typedef {{ name: string, description?: string, inputSchema: import('haft').JsonSchema }} CatalogueTool */

function madeUpTools() {
  const properties = Object.fromEntries(
    ['id', 'text', 'folder', 'limit', 'format'].map((name) => [
      name,
      { type: 'string', description: `The ${name} of what the call is about, as the server spells it` },
    ]),
  )
  return Array.from({ length: 1_000 }, (_, index) =>
    serverTool(`server${index % 50}`, {
      name: `tool_${index}`,
      description: `Does the ${index}th thing that a server of this kind does, and tells what came of it`,
      inputSchema: { type: 'object', properties, required: ['id'] },
    }),
  )
}

/**
 * @param {string} serverName
 * @param {CatalogueTool} tool
 */
function serverTool(serverName, { name, description = '', inputSchema }) {
  const normal = (/** @type {string} */ text) => text.replace(/[^a-zA-Z0-9_-]/g, '_')
  return buildTool({
    name: `mcp__${normal(serverName)}__${normal(name)}`.slice(0, 64),
    isMcp: true,
    mcpInfo: { serverName, toolName: name },
    description,
    // Some servers leave the type out.
    inputJSONSchema: { ...inputSchema, type: 'object' },
    call: async () => ({ data: null }),
  })
}
