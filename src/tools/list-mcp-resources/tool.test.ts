import { expect, test } from 'vitest'
import type { McpPort, McpResource } from '../../contract/ports/mcp.js'
import { callTool } from '../../testing/call-tool.js'
import { ListMcpResourcesTool } from './tool.js'

const NOTE_RESOURCE: McpResource = { server: 'notes', uri: 'note://1', name: 'One', mimeType: 'text/plain' }
const createMcpPort = (resources: readonly McpResource[]) =>
  ({
    listResources: async (server?: string) =>
      resources.filter((each) => server === undefined || each.server === server),
  }) as unknown as McpPort

test('the result has one line for each resource of all servers or of one server', async () => {
  const mcp = createMcpPort([NOTE_RESOURCE, { ...NOTE_RESOURCE, server: 'other' }])

  expect(await callTool(ListMcpResourcesTool, { server: 'notes' }, { mcp })).toBe(
    '{"server":"notes","uri":"note://1","name":"One","mimeType":"text/plain"}',
  )
  expect((await callTool(ListMcpResourcesTool, {}, { mcp })).split('\n')).toHaveLength(2)
})

test('the result says if there are no resources', async () => {
  expect(await callTool(ListMcpResourcesTool, {}, { mcp: createMcpPort([]) })).toBe('No MCP resources were found.')
})
