import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTool, createAssembly, createPermissionContext, readEnvironment, toolDefinitions } from 'haft'
import { median } from './lib/interleave.mjs'
import { report } from './lib/report.mjs'

/**
 * Making pools and definitions of many tools that came over a protocol.
 * `node bench/assembly.mjs [FOLDER]`: with a folder of `{ tools: [{ name, description, inputSchema }] }` files, real definitions are used.
 */
const ROUNDS = 15
const REPEATS = 1_000
const schemas = process.argv[2] === undefined ? [] : catalogueSchemas(process.argv[2])
const { environment } = readEnvironment({}, 'linux')
const context = createPermissionContext({ alwaysDenyRules: { userSettings: ['mcp__server3'] } })
const options = { toolPermissionContext: context, agentDefinitions: [] }

for (const count of [1_000, 10_000]) {
  const first = []
  const again = []
  const copied = []
  for (let round = 0; round < ROUNDS; round++) {
    const tools = makeTools(count)
    const assembly = createAssembly({ baseTools: /** @type {readonly import('haft').Tool[]} */ ([]), env: environment })
    const once = async () => (await toolDefinitions(assembly.assembleToolPool(context, tools), options)).definitions
    first.push(await milliseconds(once))
    again.push((await milliseconds(() => repeat(once, REPEATS))) / REPEATS)
    copied.push(
      await milliseconds(() =>
        JSON.parse(JSON.stringify(tools.map(({ name, inputJSONSchema }) => ({ name, inputJSONSchema })))),
      ),
    )
  }
  report(`${count} tools, median of ${ROUNDS} rounds`, [
    { name: 'a JSON round trip of the same definitions', value: `${median(copied).toFixed(2)} ms` },
    {
      name: 'pool and definitions, the first time',
      value: `${median(first).toFixed(2)} ms`,
      ...(count === 1_000 && { limit: '5 ms', isOver: median(first) > 5 }),
    },
    {
      name: 'pool and definitions, nothing changed',
      value: `${(median(again) * 1000).toFixed(1)} µs`,
      limit: '20 µs',
      isOver: median(again) > 0.02,
    },
  ])
}

/** @param {number} count */
function makeTools(count) {
  return Array.from({ length: count }, (_, index) => {
    const serverName = `server${index % 50}`
    return buildTool({
      name: `mcp__${serverName}__tool${(index * 7919) % count}`,
      isMcp: true,
      mcpInfo: { serverName, toolName: `tool${index}` },
      description: `Tool ${index} of ${serverName}`,
      inputJSONSchema: schemas[index % schemas.length] ?? {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer' } },
        required: ['query'],
      },
      call: async () => ({ data: null }),
    })
  })
}

/**
 * @param {() => unknown} work
 * @param {number} times
 */
async function repeat(work, times) {
  for (let time = 0; time < times; time++) await work()
}

/** @param {() => unknown} work */
async function milliseconds(work) {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

/** @param {string} folder */
function catalogueSchemas(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).tools ?? [])
    .map(({ inputSchema }) => inputSchema)
    .filter((schema) => schema?.type === 'object')
}
