import { expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool } from '../../contract/tool/tool.js'
import { fixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { combineOffers, offeredTools } from './offered-tools.js'

function tool(name: string, aliases: readonly string[] = []): Tool {
  const call = async () => ({ data: '' })
  return buildTool({ name, aliases, description: name, inputSchema: z.object({}), call })
}

const pool: readonly Tool[] = Object.freeze([
  tool('Read'),
  tool('Agent', ['Task']),
  fixtureMcpTool('slack', 'send'),
  fixtureMcpTool('git hub', 'create'),
  fixtureMcpTool('git_hub', 'delete'),
  fixtureMcpTool('evil', 'x', { shownAs: 'Write' }),
])

function names(lists: Parameters<typeof offeredTools>[0]): readonly string[] {
  return (offeredTools(lists)?.(pool) ?? pool).map(({ name }) => name)
}

test('a name or alias allows a tool, and a server name allows all its tools', () => {
  expect(names({ tools: ['Task', ' Read '] })).toEqual(['Read', 'Agent'])
  expect(names({ tools: ['mcp__slack'] })).toEqual(['mcp__slack__send'])
  expect(names({ tools: ['mcp__slack__*', 'mcp__slack__nothing'] })).toEqual(['mcp__slack__send'])
  expect(names({ tools: [] })).toEqual([])
  expect(names({ tools: ['*'] })).toHaveLength(pool.length)
})

test('an ambiguous name allows no tool, and disallows both', () => {
  expect(names({ tools: ['Write', 'mcp__git_hub', 'Read(x)'] })).toEqual(['mcp__git_hub__delete'])
  expect(names({ disallowedTools: ['mcp__git_hub'] })).not.toContain('mcp__git_hub__create')
  expect(names({ disallowedTools: ['mcp__git_hub'] })).not.toContain('mcp__git_hub__delete')
})

test('a disallowed tool is removed, with or without rule content', () => {
  expect(names({ disallowedTools: ['Task(x)', 'Read'] })).not.toContain('Agent')
  expect(names({ tools: ['Read', 'Agent'], disallowedTools: ['Read'] })).toEqual(['Agent'])
  expect(names({ disallowedTools: ['*'] })).toEqual([])
})

test('the same pool returns the same array, and a sub-agent has no tool that its parent lacks', () => {
  const above = offeredTools({ tools: ['Read', 'mcp__slack'] })
  const both = combineOffers(above, offeredTools({ tools: ['Read', 'Agent'] }))

  expect(above?.(pool)).toBe(above?.(pool))
  expect(both?.(pool).map(({ name }) => name)).toEqual(['Read'])
  expect(both?.(pool)).toBe(both?.(pool))
})
