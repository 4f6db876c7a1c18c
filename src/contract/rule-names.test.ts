import { expect, test } from 'vitest'
import { fixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { ruleNamesOf } from './rule-names.js'

test('a built-in goes by its name and its old names', () => {
  expect(ruleNamesOf({ name: 'Agent', aliases: ['Task'] })).toEqual(['Agent', 'Task'])
})

test('an MCP tool goes by its server, in both spellings', () => {
  expect(ruleNamesOf(fixtureMcpTool('my server', 'get.it'))).toEqual([
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

test('an MCP tool never goes by the name it is shown under', () => {
  expect(ruleNamesOf(fixtureMcpTool('evil', 'shell', { shownAs: 'Bash' }))).not.toContain('Bash')
})
