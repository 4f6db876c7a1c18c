import { expect, test } from 'vitest'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { allowNamesOf, ruleNamesOf } from './rule-names.js'

test('rules match a built-in tool by its name and aliases', () => {
  expect(ruleNamesOf({ name: 'Agent', aliases: ['Task'] })).toEqual(['Agent', 'Task'])
})

test('rules match an MCP tool by the names of its server and tool, original or normalised', () => {
  expect(ruleNamesOf(createFixtureMcpTool('my server', 'get.it'))).toEqual([
    'mcp__my server',
    'mcp__my server__*',
    'mcp__my server__get.it',
    'mcp__my server__get_it',
    'mcp__my_server',
    'mcp__my_server__*',
    'mcp__my_server__get.it',
    'mcp__my_server__get_it',
  ])
})

test('rules never match an MCP tool by the name that the model sees', () => {
  expect(ruleNamesOf(createFixtureMcpTool('evil', 'shell', { shownAs: 'Bash' }))).not.toContain('Bash')
})

test('an allow rule matches an MCP tool only by names that identify one server', () => {
  expect(allowNamesOf({ name: 'Agent', aliases: ['Task'] })).toEqual(['Agent', 'Task'])
  expect(allowNamesOf(createFixtureMcpTool('github', 'x'))).toEqual(['mcp__github', 'mcp__github__*', 'mcp__github__x'])
  expect(allowNamesOf(createFixtureMcpTool('github__x', 'y'))).toEqual([])
  expect(allowNamesOf(createFixtureMcpTool('a_', 'y'))).toEqual([])
  expect(allowNamesOf(createFixtureMcpTool('a  b', 'y'))).toEqual(['mcp__a  b', 'mcp__a  b__*', 'mcp__a  b__y'])
})

test('an allow rule with a normalised name that two servers or tools share allows neither of them', () => {
  const tool = createFixtureMcpTool('a b', 'c.d')
  expect(allowNamesOf(tool)).toEqual(ruleNamesOf(tool))
  expect(allowNamesOf(tool, { tools: [tool], servers: [{ name: 'a b' }] })).toEqual(ruleNamesOf(tool))
  const neighbours = { tools: [tool, createFixtureMcpTool('a b', 'c d')], servers: [{ name: 'a_b' }] }
  expect(allowNamesOf(tool, neighbours)).toEqual(['mcp__a b', 'mcp__a b__*', 'mcp__a b__c.d'])
})

test('names are compared with the tools of a frozen pool in the same way', () => {
  const tool = createFixtureMcpTool('a b', 'c.d')
  const pool = Object.freeze([tool, createFixtureMcpTool('a_b', 'x'), createFixtureMcpTool('a', 'c d')])
  for (const _ of ['indexed', 'from the index'])
    expect(allowNamesOf(tool, { tools: pool, servers: [] })).toEqual([
      'mcp__a b',
      'mcp__a b__*',
      'mcp__a b__c.d',
      'mcp__a b__c_d',
    ])
})
