import { expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolDefinitionError } from '../contract/errors.js'
import { lazySchema } from '../contract/schema.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { registerTools } from './register-tools.js'

const validTool = createFixtureMcpTool('s', 'good')
const invalidTool = { ...validTool, name: 'no good' }

test('the first invalid tool throws an error that names the tool and the member', () => {
  expect(() => registerTools([validTool, invalidTool])).toThrow(
    'Tool "no good": name "no good" must be 1 to 64 letters',
  )
})

test('a hand-written tool that lacks a required member is refused', () => {
  const { call: _, ...uncallableTool } = validTool
  expect(() => registerTools([uncallableTool])).toThrow(
    expect.objectContaining({ code: 'member_missing', member: 'call' }),
  )
})

test('with onProblem, invalid tools are left out and the others work', () => {
  const problems: ToolDefinitionError[] = []

  const tools = registerTools([invalidTool, validTool, null, { ...validTool }, 'Bash'], {
    onProblem: (problem) => problems.push(problem),
  })

  expect(tools).toEqual([validTool])
  expect(problems.map(({ code }) => code)).toEqual(['name_invalid', 'member_missing', 'name_taken', 'member_missing'])
})

test('a schema that does not describe an object is refused, and a lazy schema is accepted without being built', () => {
  const call = async () => ({ data: 1 })
  const text = buildTool({ name: 'Text', description: 'd', inputSchema: z.string() as unknown as z.ZodObject, call })
  const lazyTool = buildTool({ name: 'Lazy', description: 'd', inputSchema: lazySchema(() => z.object({})), call })

  expect(() => registerTools([text])).toThrow(expect.objectContaining({ code: 'schema_not_object', toolName: 'Text' }))
  expect(registerTools([lazyTool])).toEqual([lazyTool])
})

test('a tool object that throws on access is left out, and the others work', () => {
  const problems: ToolDefinitionError[] = []
  const hostileTool = {
    get name(): string {
      throw new Error('access denied')
    },
  }

  const tools = registerTools(
    [hostileTool, { ...validTool, name: 'g', aliases: [1n], isMcp: false, mcpInfo: undefined }, validTool],
    { onProblem: (problem) => problems.push(problem) },
  )

  expect(tools).toEqual([validTool])
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('access denied'),
    expect.stringContaining('"1"'),
  ])
})
