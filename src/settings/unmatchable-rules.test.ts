import { expect, test } from 'vitest'
import { createPermissionContext } from '../contract/permission-context.js'
import { fixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { builtInTools } from '../testing/fixture-tools.js'
import { unmatchableRules } from './unmatchable-rules.js'

const tools = [...builtInTools, fixtureMcpTool('slack', 'send'), fixtureMcpTool('my server', 'find')]

function unmatchable(allow: readonly string[], servers?: readonly string[]): readonly string[] {
  const context = createPermissionContext({ alwaysAllowRules: { userSettings: allow } })
  return unmatchableRules(context, tools, servers && { servers }).map(({ rule }) => rule)
}

test('a misspelt tool is reported with the nearest names', () => {
  const context = createPermissionContext({
    alwaysDenyRules: { policy: ['Bsh(rm:*)'] },
    alwaysAskRules: { userSettings: ['edit'] },
    alwaysAllowRules: { localSettings: ['Quite_Different'] },
  })

  expect(unmatchableRules(context, tools)).toEqual([
    {
      rule: 'Bsh(rm:*)',
      behavior: 'deny',
      source: 'policy',
      suggestions: expect.arrayContaining(['Bash']),
      message: expect.stringMatching(
        /^The deny rule "Bsh\(rm:\*\)" \(policy\) names no known tool and never matches\. Did you mean Bash/,
      ),
    },
    {
      rule: 'edit',
      behavior: 'ask',
      source: 'userSettings',
      suggestions: expect.arrayContaining(['Edit']),
      message: expect.stringContaining('Did you mean Edit'),
    },
    {
      rule: 'Quite_Different',
      behavior: 'allow',
      source: 'localSettings',
      suggestions: [],
      message: 'The allow rule "Quite_Different" (localSettings) names no known tool and never matches.',
    },
  ])
})

test('names, aliases and every way to name a server or its tools match', () => {
  expect(
    unmatchable([
      'Bash',
      'Bash(npm test)',
      'Task',
      'Agent(Explore)',
      'mcp__slack',
      'mcp__slack__*',
      'mcp__slack__send',
      'mcp__my server__find',
      'mcp__my_server__find',
    ]),
  ).toEqual([])
})

test('a rule for a server or a tool of a server that nobody knows is reported', () => {
  expect(unmatchable(['mcp__slck', 'mcp__slack__sned'])).toEqual(['mcp__slck', 'mcp__slack__sned'])
})

test('a server that has not brought its tools yet is waited for', () => {
  const rules = ['mcp__mail', 'mcp__mail__*', 'mcp__mail__read', 'mcp__mailbox__read', 'mcp__slack__sned']

  expect(unmatchable(rules, ['mail', 'slack'])).toEqual(['mcp__mailbox__read', 'mcp__slack__sned'])
})

test('a rule that cannot be read counts for the tool it begins with', () => {
  expect(unmatchable(['Bash(ls', 'Bash (rm:*)', ' Bash rm', 'Nash_Bridges (x)', '(x)'])).toEqual([
    'Nash_Bridges (x)',
    '(x)',
  ])
})

test('a rule with a space before its parenthesis counts for the tool it begins with', () => {
  expect(unmatchable(['Bash (rm:*)'])).toEqual([])
})
