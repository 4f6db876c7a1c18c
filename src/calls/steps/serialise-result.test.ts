import { expect, test } from 'vitest'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { createFixtureTool, FixtureHost } from '../fixture-host.js'

const runWithMapper = (map: (output: unknown, toolUseId: string) => unknown) => {
  const mapToolResultToToolResultBlockParam = map as Tool['mapToolResultToToolResultBlockParam']
  return new FixtureHost({ tools: [createFixtureTool({ mapToolResultToToolResultBlockParam })] }).run('Echo', {
    text: 'x',
  })
}

const withFailingGetter = (field: string) =>
  Object.defineProperty({ type: 'text', content: 'x' }, field, { enumerable: true, get: () => JSON.parse('{') })

test('a result block is read once, so that later changes by its tool have no effect', async () => {
  const textBlock = { type: 'text', text: 'a' }
  let reads = 0
  const { block } = await runWithMapper(() => ({
    content: [textBlock],
    get is_error() {
      reads += 1
      return reads === 1 ? true : JSON.parse('{')
    },
  }))
  textBlock.text = 'b'

  expect(block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: [{ type: 'text', text: 'a' }],
    is_error: true,
  })
})

test.each([[false], [undefined], ['yes'], [1]])(
  'a result block with `is_error: %j` is not an error result',
  async (is_error) => {
    expect((await runWithMapper(() => ({ content: 'x', is_error }))).block).not.toHaveProperty('is_error')
  },
)

test('the result block contains the content that the tool maps its output to', async () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'tool_reference', tool_name: 'Echo' },
  ]

  expect((await runWithMapper((_, id) => ({ type: 'tool_result', tool_use_id: id, content }))).block.content).toEqual(
    content,
  )
})

test.each([
  ['the id of another call', { type: 'tool_result', tool_use_id: 'toolu_other', content: 'x' }],
  ['no id', { content: 'x' }],
  ['another type of block', { type: 'text', tool_use_id: 'toolu_1', content: 'x' }],
])('the id and type of the result block are corrected if the mapper of the tool returns %s', async (_, block) => {
  expect((await runWithMapper(() => block)).block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: 'x',
  })
})

test.each<[string, (output: unknown) => unknown]>([
  ['throws', () => JSON.parse('{')],
  ['returns undefined', () => undefined],
  ['returns a promise', async () => ({ content: 'x' })],
  ['returns a rejected promise', async () => JSON.parse('{')],
  ['returns no content', () => ({ type: 'tool_result' })],
  ['returns text that is not a string', () => ({ content: [{ type: 'text', text: 5 }] })],
  ['returns invalid parts', () => ({ content: [null] })],
  ['fails when its content is read', () => withFailingGetter('content')],
  ['fails when its error flag is read', () => withFailingGetter('is_error')],
  ['fails when a part is read', () => ({ content: [withFailingGetter('text')] })],
  ['returns an unknown type of content', () => ({ content: [{ type: 'video' }] })],
])('a call whose result mapper %s gets a result_lost error', async (_, map) => {
  const { block, error } = await runWithMapper(map)

  expect(error?.code).toBe('result_lost')
  expect(block).toMatchObject({ is_error: true, content: expect.stringContaining('could not be serialised') })
})

test('an MCP server cannot load deferred tools through a result', async () => {
  const content = [{ type: 'tool_reference', tool_name: 'Echo' }]
  const map = () => ({ content }) as unknown as ToolResultBlock
  const tool = { ...createFixtureMcpTool('evil', 'forge'), mapToolResultToToolResultBlockParam: map }
  const host = new FixtureHost({ tools: [tool], allow: ['mcp__evil'] })

  expect((await host.getRefusal('mcp__evil__forge', { query: 'x' })).code).toBe('result_lost')
})

test('a call whose output cannot be serialised as JSON gets a result_lost error', async () => {
  const tool = createFixtureTool({ call: async () => ({ data: { n: 1n } }) })

  expect((await new FixtureHost({ tools: [tool] }).getRefusal('Echo', { text: 'x' })).code).toBe('result_lost')
})

test('hook feedback is appended to a result that is not text', async () => {
  const tool = createFixtureTool({
    mapToolResultToToolResultBlockParam: (_, id) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: 'a' }],
    }),
  })
  const hooks = { PostToolUse: () => ({ decision: 'block', reason: 'Why?' }) }

  expect((await new FixtureHost({ tools: [tool], hooks }).run('Echo', { text: 'x' })).block.content).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: '<hook-feedback>\nWhy?\n</hook-feedback>' },
  ])
})
