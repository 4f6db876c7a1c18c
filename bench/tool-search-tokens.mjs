import './lib/restart-clean.mjs'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTool, builtInTools, createToolRuntime } from 'haft'
import { estimateDefinitionTokens, estimateTokens, formatDeferredTools } from 'haft/tool-search'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Measures the tokens that the tools of many servers cost in the first request, deferred and inline:
 * `node bench/tool-search-tokens.mjs [FOLDER]`. The folder has a file `{ server, tools }` for each server, as returned by
 * `tools/list`. Without a folder, the catalogue is generated.
 */
const MAX_RATIO = 1 / 20
const [folder] = process.argv.slice(2)
const mcpTools = Object.freeze(folder === undefined ? generateTools() : readCatalogueTools(folder))

const inlineTokens = await countFirstRequest('false')
const deferredTokens = await countFirstRequest('true')
const ratio = deferredTokens / inlineTokens
report(`Tool search: tokens of the first request, ${mcpTools.length} tools of servers`, [
  { name: 'all definitions inline', value: String(inlineTokens) },
  { name: 'deferred, with the announcement', value: String(deferredTokens) },
  { name: 'ratio', value: ratio.toFixed(4), limit: '0.05', isOver: isOverLimit(ratio, MAX_RATIO) },
])

/**
 * Returns the tokens of the tools in the first request and of the announcement of deferred tools.
 * @param {string} mode
 */
async function countFirstRequest(mode) {
  const runtime = createToolRuntime({
    tools: builtInTools,
    mcpTools: () => mcpTools,
    toolSearch: { mode },
    onProblem: () => {},
  })
  const definitions = await runtime.definitions()
  const announcement = await runtime.announce([])
  await runtime.dispose()
  const text = announcement === undefined ? '' : (formatDeferredTools(announcement) ?? '')
  return definitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), estimateTokens(text))
}

/** @param {string} folder */
function readCatalogueTools(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.flatMap((file) => {
    const { server, tools } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return tools.map((/** @type {CatalogueTool} */ tool) => createServerTool(server, tool))
  })
}

/** @typedef {{ name: string, description?: string, inputSchema: import('haft').JsonSchema }} CatalogueTool */

function generateTools() {
  const properties = Object.fromEntries(
    ['id', 'text', 'folder', 'limit', 'format'].map((name) => [
      name,
      { type: 'string', description: `The ${name} of the object, as the server spells it` },
    ]),
  )
  return Array.from({ length: 1_000 }, (_, index) =>
    createServerTool(`server${index % 50}`, {
      name: `tool_${index}`,
      description: `Performs operation ${index} of a server of this kind and returns its result`,
      inputSchema: { type: 'object', properties, required: ['id'] },
    }),
  )
}

/**
 * @param {string} serverName
 * @param {CatalogueTool} tool
 */
function createServerTool(serverName, { name, description = '', inputSchema }) {
  const normalise = (/** @type {string} */ text) => text.replace(/[^a-zA-Z0-9_-]/g, '_')
  return buildTool({
    name: `mcp__${normalise(serverName)}__${normalise(name)}`.slice(0, 64),
    isMcp: true,
    mcpInfo: { serverName, toolName: name },
    description,
    // Some servers omit the type.
    inputJSONSchema: { ...inputSchema, type: 'object' },
    call: async () => ({ data: null }),
  })
}
