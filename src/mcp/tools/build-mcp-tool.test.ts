import { expect, test } from 'vitest'
import { isMcpTool } from '../../contract/tool/identity.js'
import { callTool } from '../../testing/call-tool.js'
import { buildMcpTool, type McpCallResult } from './build-mcp-tool.js'
import { type McpToolDefinition, readDefinitions } from './read-definition.js'

const signal = new AbortController().signal

function createToolReturning(result: McpCallResult, entry: object = {}) {
  const { definitions } = readDefinitions([{ name: 'say', inputSchema: { type: 'object' }, ...entry }])
  const definition = definitions[0] as McpToolDefinition
  return buildMcpTool({ serverName: 'fixture', shownAs: 'mcp__fixture__say' }, definition, async () => result)
}

const callForText = (result: McpCallResult, entry?: object) => callTool(createToolReturning(result, entry), {}, {})
const toBlocks = (...content: unknown[]) =>
  createToolReturning({ content: [] }).mapToolResultToToolResultBlockParam({ content }, 'id').content
const PNG = { type: 'image', mimeType: 'image/png', data: 'aGk=' }

test('the hints of an MCP tool never grant permissions', async () => {
  const tool = createToolReturning({ content: [] }, { annotations: { readOnlyHint: true, title: 'Read' } })

  expect(isMcpTool(tool)).toBe(true)
  expect(tool.mcpInfo).toEqual({ serverName: 'fixture', toolName: 'say' })
  expect([tool.isReadOnly({}), tool.isConcurrencySafe({})]).toEqual([true, true])
  expect(await tool.checkPermissions({}, {} as never)).toEqual({ behavior: 'passthrough' })
  expect(tool.userFacingName({})).toBe('fixture: Read')
  expect(tool.toAutoClassifierInput({ a: 1 })).toEqual({ name: 'mcp__fixture__say', input: { a: 1 } })
})

test('terminal control codes are removed from the text of an MCP result', async () => {
  expect(await callForText({ content: [{ type: 'text', text: '\u001b]0;x\u0007\u001b[31mred\u001b[0m' }] })).toBe('red')
})

test('images and documents in an MCP result are passed on, and other media is described', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }

  expect(toBlocks(PNG)).toEqual([{ type: 'image', source }])
  expect(toBlocks({ type: 'resource', resource: { uri: 'a:b', mimeType: 'image/png', blob: 'aGk=' } })).toEqual([
    { type: 'image', source },
  ])
  expect(toBlocks({ type: 'resource', resource: { uri: 'a:b', mimeType: 'application/pdf', blob: 'aGk=' } })).toEqual([
    { type: 'document', title: 'a:b', source: { ...source, media_type: 'application/pdf' } },
  ])
  expect(toBlocks({ ...PNG, data: 'not base64!' })).toBe('[An image: image/png, 8 bytes; cannot be shown here]')
  expect(toBlocks({ type: 'audio', mimeType: 'audio/wav', data: 'aGk=' })).toContain('[Audio: audio/wav, 3 bytes')
})

test('resources and links in an MCP result keep their URI', () => {
  expect(toBlocks({ type: 'resource', resource: { uri: 'note://1', text: 'a note' } })).toBe(
    '[Resource note://1]\na note',
  )
  expect(toBlocks({ type: 'resource_link', uri: 'note://1', name: 'One', mimeType: 'text/plain' })).toBe(
    '[Link to the resource note://1 (One; text/plain)]',
  )
})

test('unknown content types in an MCP result are passed on as JSON', () => {
  expect(toBlocks({ type: 'hologram', data: 1 })).toBe('{"type":"hologram","data":1}')
  expect(toBlocks(null)).toContain('null')
})

test('structured content of an MCP result is kept, and is used if there is no other content', async () => {
  const result = { content: [], structuredContent: { sum: 3 }, _meta: { cost: 1 } }

  expect(await callForText(result)).toBe('{"sum":3}')
  const { mcpMeta } = await createToolReturning(result).call({}, { signal } as never, (() => {}) as never, {} as never)
  expect(mcpMeta).toEqual({ structuredContent: { sum: 3 }, _meta: { cost: 1 } })
})

test('structured content that does not match the output schema is rejected', async () => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const content = [{ type: 'text', text: '3' }]

  expect(await callForText({ content, structuredContent: { sum: 3 } }, { outputSchema })).toBe('3')
  await expect(callForText({ content }, { outputSchema })).rejects.toMatchObject({
    code: 'output_invalid',
    message: expect.stringContaining('returned no structured content'),
  })
  await expect(callForText({ content, structuredContent: { sum: 'x' } }, { outputSchema })).rejects.toMatchObject({
    code: 'output_invalid',
    message: expect.stringContaining('- sum: must be number'),
  })
})

test('an MCP result that is marked as an error fails the call', async () => {
  await expect(callForText({ content: [{ type: 'text', text: 'no such file' }], isError: true })).rejects.toMatchObject(
    {
      code: 'tool_failed',
      message: 'no such file',
    },
  )
  await expect(callForText({ content: [], isError: true })).rejects.toThrow('failed without an error message')
})

test('an MCP result that is nested too deeply is rejected', async () => {
  let structuredContent: object = {}
  for (let level = 0; level < 100_000; level++) structuredContent = { a: structuredContent }

  await expect(callForText({ content: [], structuredContent })).rejects.toMatchObject({ code: 'output_invalid' })
})

test('an MCP output replaced by a hook is used unchanged', () => {
  const { mapToolResultToToolResultBlockParam: map } = createToolReturning({ content: [] })

  expect(map('changed', 'id').content).toBe('changed')
  expect(map({ other: 1 }, 'id').content).toBe('{"other":1}')
})
