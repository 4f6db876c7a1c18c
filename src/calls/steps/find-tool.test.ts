import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Tool } from '../../contract/tool/tool.js'
import { createFixtureTool, FixtureHost } from '../fixture-host.js'
import { findInDirectory } from './find-tool.js'

const Read = createFixtureTool({ name: 'Read', aliases: ['View'] })
const Write = createFixtureTool({ name: 'Write' })

function find(name: unknown, tools: readonly Tool[] = [Read, Write], absentTools?: readonly Tool[]) {
  return findInDirectory(name as string, { tools, ...(absentTools !== undefined && { absentTools }) })
}

test('a tool is found by its name', () => {
  expect(find('Write')).toBe(Write)
})

test('a tool is found by an alias', () => {
  expect(find('View')).toBe(Read)
})

test('a name takes precedence over an alias, in any order of tools', () => {
  const toolWithAlias = createFixtureTool({ name: 'Other', aliases: ['Write'] })

  expect(find('Write', [toolWithAlias, Write])).toBe(Write)
  expect(find('Write', [Write, toolWithAlias])).toBe(Write)
})

test('the error for an unknown name suggests similar names', () => {
  expect(() => find('Wirte')).toThrow('There is no tool "Wirte". Did you mean Write?')
})

test('the error for a name without similar names refers to the listed tools and ToolSearch', () => {
  expect(() => find('Teleport')).toThrow(
    'There is no tool "Teleport". Use one of the tools you were given, or find one with ToolSearch.',
  )
})

test('the error for a disabled tool differs from the one for an unknown tool', () => {
  expect(() => find('View', [Write], [Read, Write])).toThrow(
    'The tool Read exists, but it is switched off or denied here. Work without it.',
  )
})

test('the error for a very long name is short', () => {
  expect(() => find('x'.repeat(1_000_000))).toThrow(/^.{1,300}$/)
})

test.each([[undefined], [null], [7], ['__proto__'], ['constructor'], ['']])(
  'the tool name %j is reported as unknown',
  (name) => {
    expect(() => find(name)).toThrow(expect.objectContaining({ code: 'unknown_tool' }))
  },
)

test('a tool that was added to a mutable pool after a search is found', () => {
  const pool = [Read]
  find('Read', pool)
  pool.push(Write)

  expect(find('Write', pool)).toBe(Write)
})

const Echo = createFixtureTool({ foreignNames: { say: ({ words }) => ({ text: words }) } })

test("a call of another agent's tool becomes a call of the tool that knows the name, and the model is told", async () => {
  const host = new FixtureHost({ tools: [Echo] })

  expect((await host.run('say', { words: 'hello' })).block.content).toBe(
    'hello\n\n[There is no tool say; this call ran as Echo with {"text":"hello"}.]',
  )
})

test('such a call is parsed and judged as one of the real tool', async () => {
  const denied = await new FixtureHost({ tools: [Echo], deny: ['Echo'] }).getRefusal('say', { words: 'hello' })
  const invalid = await new FixtureHost({ tools: [Echo] }).getRefusal('say', { words: 5 })

  expect(denied.code).toBe('permission_denied')
  expect(invalid.code).toBe('input_invalid')
})

test('a tool of that name, and tools that are not of an MCP server, take precedence', async () => {
  const say = createFixtureTool({
    name: 'say',
    inputSchema: z.object({ words: z.string() }),
    call: async () => ({ data: 'own' }),
  })
  const impostor = createFixtureTool({
    isMcp: true,
    mcpInfo: { serverName: 's', toolName: 't' },
    foreignNames: { say: () => ({ text: 'taken over' }) },
  })

  expect((await new FixtureHost({ tools: [Echo, say] }).run('say', { words: 'hello' })).block.content).toBe('own')
  expect((await new FixtureHost({ tools: [impostor] }).getRefusal('say', { words: 'x' })).code).toBe('unknown_tool')
})
