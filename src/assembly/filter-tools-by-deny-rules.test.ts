import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPermissionContext } from '../contract/permission/context.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { filterToolsByDenyRules } from './filter-tools-by-deny-rules.js'

const tools = [
  { name: 'Bash' },
  { name: 'Agent', aliases: ['Task'] },
  createFixtureMcpTool('my server', 'get.it'),
  createFixtureMcpTool('my server', 'put'),
  createFixtureMcpTool('myserver', 'put'),
  createFixtureMcpTool('odd (one)', 'x'),
  createFixtureMcpTool('odd(two)', 'x'),
  createFixtureMcpTool('odd', 'x'),
]

function listRemainingNames(...rules: string[]): string[] {
  return filterToolsByDenyRules(tools, createPermissionContext({ alwaysDenyRules: { session: rules } })).map(
    ({ name }) => name,
  )
}

function listDroppedNames(...rules: string[]): string[] {
  const remainingToolNames = listRemainingNames(...rules)
  return tools.map(({ name }) => name).filter((name) => !remainingToolNames.includes(name))
}

describe('a deny rule without content drops exactly the tools that it names', () => {
  test.each([
    ['Bash', ['Bash']],
    ['Task', ['Agent']],
    ['mcp__my server', ['mcp__my_server__get_it', 'mcp__my_server__put']],
    ['mcp__my_server', ['mcp__my_server__get_it', 'mcp__my_server__put']],
    ['mcp__my_server__*', ['mcp__my_server__get_it', 'mcp__my_server__put']],
    ['mcp__my server__get.it', ['mcp__my_server__get_it']],
    ['mcp__my_server__get_it', ['mcp__my_server__get_it']],
    ['mcp__odd (one)', ['mcp__odd__one___x']],
    ['mcp__odd(two)', ['mcp__odd_two___x']],
    ['mcp__odd(two)__x', ['mcp__odd_two___x']],
    ['mcp__odd(two)__*', ['mcp__odd_two___x']],
    ['mcp__odd', ['mcp__odd__x']],
    ['mcp__my', []],
    ['bash', []],
  ])('%s drops %j', (rule, names) => expect(listDroppedNames(rule)).toEqual(names))
})

test('a deny rule with content drops no tool', () => {
  expect(listDroppedNames('Bash(rm:*)', 'Bash(*)', 'Agent(Explore)')).toEqual([])
})

describe('a malformed deny rule drops the whole tool', () => {
  test.each(['Bash(rm', 'Bash()', 'Bash (rm:*)', 'Bash*', 'Bash rm', ' Bash: rm '])('for example %j', (rule) => {
    expect(listDroppedNames(rule)).toEqual(['Bash'])
  })
})

test('deny rules of every source drop their tools', () => {
  const context = createPermissionContext({ alwaysDenyRules: { policy: ['Bash'], projectSettings: ['Task'] } })
  expect(filterToolsByDenyRules(tools, context).map(({ name }) => name)).toEqual(listRemainingNames('Bash', 'Task'))
})

test('if no tool is dropped, the returned list is the same object', () => {
  expect(filterToolsByDenyRules(tools, createPermissionContext({ alwaysDenyRules: { session: ['Other'] } }))).toBe(
    tools,
  )
})

test('an additional deny rule never brings a dropped tool back', () => {
  const rule = fc.oneof(fc.constantFrom('Bash', 'Task', 'mcp__myserver', 'Bash(x)', 'Bash('), fc.string())
  fc.assert(
    fc.property(fc.array(rule), rule, (rules, extraRule) => {
      const namesBefore = listRemainingNames(...rules)
      expect(namesBefore).toEqual(expect.arrayContaining(listRemainingNames(...rules, extraRule)))
    }),
    createPropertyOptions(),
  )
})
