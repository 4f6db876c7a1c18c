import { expect, test } from 'vitest'
import type { McpPort, McpResourceContent } from '../../contract/ports/mcp.js'
import { callTool } from '../../testing/call-tool.js'
import { ReadMcpResourceTool } from './tool.js'

const INPUT = { server: 'notes', uri: 'note://1' }
const createMcpPort = (...contents: McpResourceContent[]) =>
  ({ readResource: async () => contents }) as unknown as McpPort
const toBlock = (content: McpResourceContent) =>
  ReadMcpResourceTool.mapToolResultToToolResultBlockParam([content] as never, 'id').content

test('the result has the text of a resource', async () => {
  expect(await callTool(ReadMcpResourceTool, INPUT, { mcp: createMcpPort({ uri: 'note://1', text: 'a note' }) })).toBe(
    'a note',
  )
  expect(await callTool(ReadMcpResourceTool, INPUT, { mcp: createMcpPort() })).toBe('The resource is empty.')
})

test('the result shows images and documents, and describes other content', () => {
  const blob = { uri: 'a:b', blob: 'aGk=' }

  expect(toBlock({ ...blob, mimeType: 'image/png' })).toMatchObject([{ type: 'image' }])
  expect(toBlock({ ...blob, mimeType: 'application/pdf' })).toMatchObject([{ type: 'document', title: 'a:b' }])
  expect(toBlock({ ...blob, mimeType: 'application/zip' })).toBe(
    '[a:b: application/zip, 3 bytes; it cannot be displayed]',
  )
})
