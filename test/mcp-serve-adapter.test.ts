import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { textResult } from '../src/contract/messages.js'
import { lazySchema } from '../src/contract/schema.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { toMcpTool } from '../src/mcp/serve/to-mcp-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'

const AddTool = buildTool({
  name: 'Add',
  description: 'Adds two numbers',
  prompt: 'Adds a and b.',
  inputSchema: lazySchema(() => z.strictObject({ a: z.number(), b: z.number() })),
  isReadOnly: () => true,
  async call({ a, b }) {
    return { data: a + b }
  },
  mapToolResultToToolResultBlockParam: (sum: number, id) => textResult(id, String(sum)),
})

async function connectClient(
  permissions: Parameters<typeof createToolRuntime>[0]['permissions'] = {},
): Promise<Client> {
  const runtime = createToolRuntime({ tools: [AddTool], permissions })
  const server = new McpServer({ name: 'own', version: '1' })
  server.registerTool(...(await toMcpTool(AddTool, runtime)))
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(serverTransport), client.connect(clientTransport as never)])
  return client
}

test('one line adds a tool to any MCP server', async () => {
  const client = await connectClient({ allow: ['Add'] })

  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'Add', arguments: { a: 2, b: '3' } })

  expect(tools).toMatchObject([{ name: 'Add', description: 'Adds a and b.', inputSchema: { required: ['a', 'b'] } }])
  // The text "3" was converted to a number before the call, as for every call.
  expect(result.content).toEqual([{ type: 'text', text: '5' }])
})

test('permission rules also apply to a tool added to an MCP server', async () => {
  const client = await connectClient({ deny: ['Add(*)', 'Add'] })

  expect(await client.callTool({ name: 'Add', arguments: { a: 2, b: 3 } })).toMatchObject({ isError: true })
})
