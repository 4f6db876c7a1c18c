// The simplest proxy that the SDK allows, as a baseline: `node sdk-proxy.mjs COMMAND ARGS...`. It passes on tools only.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const [command = '', ...args] = process.argv.slice(2)
const client = new Client({ name: 'proxy', version: '1' })
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }))
const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler('tools/list', () => client.listTools())
server.setRequestHandler('tools/call', ({ params: { name, arguments: input } }, { mcpReq: { signal } }) =>
  client.callTool({ name, arguments: input ?? {} }, { signal }),
)
await server.connect(new StdioServerTransport())
process.stdin.once('end', () => void client.close())
