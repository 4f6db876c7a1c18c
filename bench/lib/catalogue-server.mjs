// An MCP server over stdio that offers the tools of a file: `node catalogue-server.mjs FILE`.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { tools } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`)
}

/**
 * @param {string} method
 * @param {any} params
 */
function answer(method, params) {
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'catalogue', version: '1' }
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
  }
  if (method === 'tools/list') return { result: { tools } }
  if (method === 'tools/call')
    return { result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } }
  return { error: { code: -32601, message: 'Method not found' } }
}
