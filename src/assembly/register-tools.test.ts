import { expect, test } from 'vitest'
import type { ToolDefinitionError } from '../contract/errors.js'
import { fixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { registerTools } from './register-tools.js'

const good = fixtureMcpTool('s', 'good')
const bad = { ...good, name: 'no good' }

test('the first mistake throws, naming the tool and the member', () => {
  expect(() => registerTools([good, bad])).toThrow('Tool "no good": name "no good" must be 1 to 64 letters')
})

test('a tool made by hand that lacks a member is found out', () => {
  const { call: _, ...uncallable } = good
  expect(() => registerTools([uncallable])).toThrow(expect.objectContaining({ code: 'member_missing', member: 'call' }))
})

test('where problems are reported, wrong tools are left out and the others work', () => {
  const problems: ToolDefinitionError[] = []

  const tools = registerTools([bad, good, null, { ...good }, 'Bash'], {
    onProblem: (problem) => problems.push(problem),
  })

  expect(tools).toEqual([good])
  expect(problems.map(({ code }) => code)).toEqual(['name_invalid', 'member_missing', 'name_taken', 'member_missing'])
})
