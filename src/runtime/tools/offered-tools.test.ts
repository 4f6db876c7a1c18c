import { expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool } from '../../contract/tool/tool.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { createToolRuntime } from '../create-tool-runtime.js'
import { combineOffers, createToolOffer } from './tool-catalog.js'

function createTool(name: string, aliases: readonly string[] = []): Tool {
  const call = async () => ({ data: '' })
  return buildTool({ name, aliases, description: name, inputSchema: z.object({}), call })
}

const pool: readonly Tool[] = Object.freeze([
  createTool('Read'),
  createTool('Agent', ['Task']),
  createFixtureMcpTool('slack', 'send'),
  createFixtureMcpTool('git hub', 'create'),
  createFixtureMcpTool('git_hub', 'delete'),
  createFixtureMcpTool('evil', 'x', { shownAs: 'Write' }),
])

function listOfferedNames(lists: Parameters<typeof createToolOffer>[0]): readonly string[] {
  return (createToolOffer(lists)?.(pool) ?? pool).map(({ name }) => name)
}

test('a name or alias allows a tool, and a server name allows all its tools', () => {
  expect(listOfferedNames({ tools: ['Task', ' Read '] })).toEqual(['Read', 'Agent'])
  expect(listOfferedNames({ tools: ['mcp__slack'] })).toEqual(['mcp__slack__send'])
  expect(listOfferedNames({ tools: ['mcp__slack__*', 'mcp__slack__nothing'] })).toEqual(['mcp__slack__send'])
  expect(listOfferedNames({ tools: [] })).toEqual([])
  expect(listOfferedNames({ tools: ['*'] })).toHaveLength(pool.length)
})

test('an ambiguous server name allows only the server of that exact name, but disallows all possible servers', () => {
  expect(listOfferedNames({ tools: ['Write', 'mcp__git_hub', 'Read(x)'] })).toEqual(['mcp__git_hub__delete'])
  expect(listOfferedNames({ disallowedTools: ['mcp__git_hub'] })).not.toContain('mcp__git_hub__create')
  expect(listOfferedNames({ disallowedTools: ['mcp__git_hub'] })).not.toContain('mcp__git_hub__delete')
})

test('a disallowed tool is removed, with or without rule content', () => {
  expect(listOfferedNames({ disallowedTools: ['Task(x)', 'Read'] })).not.toContain('Agent')
  expect(listOfferedNames({ tools: ['Read', 'Agent'], disallowedTools: ['Read'] })).toEqual(['Agent'])
  expect(listOfferedNames({ disallowedTools: ['*'] })).toEqual([])
})

test('an offer returns the same array for the same pool, and a sub-agent gets no tool that its parent lacks', () => {
  const parentOffer = createToolOffer({ tools: ['Read', 'mcp__slack'] })
  const combinedOffer = combineOffers(parentOffer, createToolOffer({ tools: ['Read', 'Agent'] }))

  expect(parentOffer?.(pool)).toBe(parentOffer?.(pool))
  expect(combinedOffer?.(pool).map(({ name }) => name)).toEqual(['Read'])
  expect(combinedOffer?.(pool)).toBe(combinedOffer?.(pool))
})

test('while the pool stays the same, reading it does not look at its tools again', () => {
  let reads = 0
  const tool = {
    ...createTool('Read'),
    get modes() {
      reads++
      return {}
    },
  }
  const runtime = createToolRuntime({ tools: [tool] })
  const firstPool = runtime.pool
  const readsOfFirstPool = reads

  expect(readsOfFirstPool).toBeGreaterThan(0)
  expect(runtime.pool).toBe(firstPool)
  expect(reads).toBe(readsOfFirstPool)
})
