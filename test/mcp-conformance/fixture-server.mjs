// A server with everything that the conformance suite requires of a server, over stdio. With `--legacy`, it supports only the
// revisions with a handshake, in which the server sends requests to its client.
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { complete, getPrompt, listPrompts } from './fixture/prompts.mjs'
import { listResources, listTemplates, readResource } from './fixture/resources.mjs'
import { callTool, listTools } from './fixture/tools.mjs'

/** The state that the diagnostic tools change. */
const state = { extraTools: 0, extraPrompts: 0 }

function createServer() {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: listTools(state) }))
  server.setRequestHandler('tools/call', ({ params }, context) => callTool(params, { server, context, state }))
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(state) }))
  server.setRequestHandler('prompts/get', ({ params }, context) => getPrompt(params, context))
  server.setRequestHandler('completion/complete', ({ params }) => complete(params))
  server.setRequestHandler('resources/list', () => ({ resources: listResources() }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listTemplates() }))
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  return server
}

if (process.argv.includes('--legacy')) await createServer().connect(new StdioServerTransport())
else serveStdio(createServer)
