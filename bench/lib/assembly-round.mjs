import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTool } from 'haft'
import { createPermissionContext } from 'haft/permissions'
import { createAssembly, readEnvironment, toolDefinitions } from 'haft/tools'

/**
 * One round of the assembly bench: `node assembly-round.mjs COUNT [FOLDER]` prints milliseconds as JSON. All caches
 * are cold, as for the first request of a program.
 */
const REPEAT_COUNT = 1_000
const [count = '1000', folder] = process.argv.slice(2)
const tools = Object.freeze(makeTools(Number(count), folder === undefined ? [] : readCatalogueSchemas(folder)))
const { environment } = readEnvironment({}, 'linux')
const context = createPermissionContext({ alwaysDenyRules: { userSettings: ['mcp__server3'] } })
const options = { toolPermissionContext: context, agentDefinitions: [] }
const assembly = createAssembly({ baseTools: /** @type {readonly import('haft').Tool[]} */ ([]), env: environment })

const copyMs = await measureTime(() =>
  JSON.stringify(tools.map(({ name, inputJSONSchema }) => ({ name, inputJSONSchema }))),
)
const poolMs = await measureTime(() => assembly.assembleToolPool(context, tools))
const definitionsMs = await measureTime(define)
const unchangedMs = (await measureTime(() => repeat(define, REPEAT_COUNT))) / REPEAT_COUNT
console.log(JSON.stringify({ copy: copyMs, pool: poolMs, definitions: definitionsMs, unchanged: unchangedMs }))

async function define() {
  return (await toolDefinitions(assembly.assembleToolPool(context, tools), options)).definitions
}

/**
 * @param {number} count
 * @param {readonly Record<string, unknown>[]} schemas
 */
function makeTools(count, schemas) {
  const defaultSchema = {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer' } },
    required: ['query'],
  }
  return Array.from({ length: count }, (_, index) => {
    const serverName = `server${index % 50}`
    return buildTool({
      name: `mcp__${serverName}__tool${(index * 7919) % count}`,
      isMcp: true,
      mcpInfo: { serverName, toolName: `tool${index}` },
      description: `Tool ${index} of ${serverName}`,
      inputJSONSchema: schemas[index % schemas.length] ?? { ...defaultSchema },
      call: async () => ({ data: null }),
    })
  })
}

/** @param {() => unknown} action */
async function measureTime(action) {
  const start = process.hrtime.bigint()
  await action()
  return Number(process.hrtime.bigint() - start) / 1e6
}

/**
 * @param {() => unknown} action
 * @param {number} times
 */
async function repeat(action, times) {
  for (let time = 0; time < times; time++) await action()
}

/** @param {string} folder */
function readCatalogueSchemas(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).tools ?? [])
    .map(({ inputSchema }) => inputSchema)
    .filter((schema) => schema?.type === 'object')
}
