import assert from 'node:assert/strict'
import { buildTool } from 'haft'
import { createPermissionContext } from 'haft/permissions'
import { callTool } from 'haft/testing'
import { createAssembly, readEnvironment, toolDefinitions } from 'haft/tools'
import * as z from 'zod'

/** The smallest useful tool: a name, a description, a schema and a call. */
const WordCount = buildTool({
  name: 'WordCount',
  description: 'Counts the words of a text',
  inputSchema: z.object({ text: z.string().describe('The text to count') }),
  async call({ text }) {
    return { data: `${text.split(/\s+/).filter(Boolean).length} words` }
  },
})

// Defaults are safe: omitted members may cost speed but never safety.
assert.equal(WordCount.isReadOnly(), false)
assert.equal(WordCount.isConcurrencySafe(), false)

// The definition sent to the model:
const { environment } = readEnvironment(process.env, process.platform)
const toolPermissionContext = createPermissionContext()
const pool = createAssembly({ baseTools: [WordCount], env: environment }).assembleToolPool(toolPermissionContext, [])
const { definitions } = await toolDefinitions(pool, { toolPermissionContext, agentDefinitions: [] })
console.log(JSON.stringify(definitions, null, 2))

// The result of a call:
console.log(await callTool(WordCount, { text: 'one contract for every tool' }))
assert.equal(await callTool(WordCount, { text: 'a b' }), '2 words')
await assert.rejects(callTool(WordCount, { text: 7 }), /text/)
