import { expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import { BashTool, createFixtureTool, FetchTool, NoteTool, ReadTool } from '../fixture-calls.js'
import { describeUnmatchableRule, findUnmatchableRules } from './find-unmatchable-rules.js'

const tools = [
  BashTool,
  ReadTool,
  FetchTool,
  NoteTool,
  createFixtureTool('Agent', { preparePermissionMatcher: () => () => true }),
]

test('a rule that no call can match is reported with the problem', () => {
  const context = createPermissionContext({
    alwaysDenyRules: { policy: ['Baash(rm:*)'], userSettings: ['Read(!x)', 'Note(x'] },
    alwaysAskRules: { session: ['Note(x)', 'WebFetch(example.com)'] },
    alwaysAllowRules: { projectSettings: ['mcp__s__t(x)'] },
  })

  expect(findUnmatchableRules(context, tools)).toEqual([
    {
      list: 'deny',
      source: 'policy',
      rule: 'Baash(rm:*)',
      problem: 'Unknown tool Baash. Did you mean Bash?',
      similarTools: ['Bash'],
    },
    {
      list: 'deny',
      source: 'userSettings',
      rule: 'Read(!x)',
      problem: 'The path cannot be matched: a pattern that starts with "!" is not supported.',
    },
    {
      list: 'deny',
      source: 'userSettings',
      rule: 'Note(x',
      problem: 'Permission rule "Note(x" must end with a closing parenthesis.',
    },
    {
      list: 'ask',
      source: 'session',
      rule: 'Note(x)',
      problem: 'Note takes no content; write Note to cover every call.',
    },
    {
      list: 'ask',
      source: 'session',
      rule: 'WebFetch(example.com)',
      problem: 'WebFetch takes no content; write WebFetch to cover every call.',
    },
    {
      list: 'allow',
      source: 'projectSettings',
      rule: 'mcp__s__t(x)',
      problem: 'A rule for an MCP tool takes no content; write mcp__s__t to cover every call.',
    },
  ])
})

test('rules with shell operators, and path rules in shell syntax, are reported as unmatchable', () => {
  const rules = [
    ...['Bash(cd * && rm:*)', 'Bash(echo * > .env)', 'Bash(cat * | mail *)', 'Bash(npm test; npm publish)'],
    ...['Read("config/**")', 'Read(config/*.{json,yml})', 'Read($PWD/config/**)', 'Read(config/a:*)'],
    ...['Read(file:a.json)', 'Read(config\\a.json)'],
  ]
  const foundProblems = findUnmatchableRules(
    createPermissionContext({ alwaysDenyRules: { userSettings: rules } }),
    tools,
  )
  expect(foundProblems.map(({ rule }) => rule)).toEqual(rules)
})

test('rules that can match, and rules for servers that may connect later, are not reported', () => {
  const rules = [
    'Bash',
    'Bash(npm test:*)',
    'Read(src/**)',
    'Edit(x)',
    'WebFetch(domain:a.b)',
    'Agent(Explore)',
    'mcp__later',
    'mcp__a__*',
    'Note',
  ]
  expect(findUnmatchableRules(createPermissionContext({ alwaysAllowRules: { session: rules } }), tools)).toEqual([])
})

test('the content of a rule for a tool that names no files must be one that the tool can match', () => {
  const fetchTool = createFixtureTool('WebFetch', { needs: ['http', 'model'], resources: () => ({}) })
  const copyTool = createFixtureTool('Copy', { needs: ['files'], resources: () => ({}) })
  const rules = ['WebFetch(example.com)', 'WebFetch(domain:example.com)', 'Copy(src/**)']
  const context = createPermissionContext({ alwaysDenyRules: { cliArg: rules } })
  expect(findUnmatchableRules(context, [fetchTool, copyTool]).map(({ rule }) => rule)).toEqual([
    'WebFetch(example.com)',
  ])
})

test('a description says whether the rule has no effect, or restricts more calls than it says', () => {
  const context = createPermissionContext({
    alwaysDenyRules: { cliArg: ['Baash', 'Note(x)'] },
    alwaysAllowRules: { cliArg: ['Note(x)'] },
  })
  expect(findUnmatchableRules(context, tools).map(describeUnmatchableRule)).toEqual([
    'the deny rule "Baash" (cliArg) never matches: Unknown tool Baash. Did you mean Bash?',
    'the deny rule "Note(x)" (cliArg) restricts more than it says: Note takes no content; write Note to cover every call.',
    'the allow rule "Note(x)" (cliArg) never matches: Note takes no content; write Note to cover every call.',
  ])
})
