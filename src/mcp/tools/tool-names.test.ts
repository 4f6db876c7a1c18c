import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOOL_NAME } from '../../contract/tool/identity.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { nameTools } from './tool-names.js'

const NO_RESERVED_NAMES: ReadonlySet<string> = new Set()
const nameAllTools = (servers: Readonly<Record<string, readonly string[]>>) =>
  nameTools(
    Object.entries(servers).map(([serverName, toolNames]) => ({ serverName, toolNames, prefix: true })),
    NO_RESERVED_NAMES,
  ).flat()

test.each([
  ['github', 'create_issue', 'mcp__github__create_issue'],
  ['my server', 'a', 'mcp__my_server__a'],
  ['github', 'list/issues', 'mcp__github__list_issues'],
])('for the server %s, the tool %s is shown to the model as %s', (server, tool, expected) => {
  expect(nameAllTools({ [server]: [tool] })).toEqual([expected])
})

test('if the names of MCP tools become equal, at most one keeps its name and the others get a hash suffix', () => {
  expect(nameAllTools({ s: ['a.b', 'a_b', 'a/b'] })).toEqual([
    'mcp__s__a_b_2e7336dc',
    'mcp__s__a_b',
    'mcp__s__a_b_c14cddc0',
  ])
  expect(nameAllTools({ 'a b': ['t'], 'a.b': ['t'] })).toHaveLength(2)
})

test('a tool name that is too long is shortened and gets a hash suffix', () => {
  const [one, two] = nameAllTools({
    'a-server-with-a-very-long-name': ['one', 'two'].map((end) => 'tool_'.repeat(20) + end),
  })

  expect(one).toMatch(TOOL_NAME)
  expect(one).toHaveLength(64)
  expect(one).not.toBe(two)
})

test('server and tool names that read the same when joined get different tool names', () => {
  const names = nameAllTools({ a: ['b__c', '_b'], a__b: ['c'], a_: ['b'] })

  expect(new Set(names).size).toBe(4)
})

test('a tool cannot claim the hashed name of another tool', () => {
  const [hashedName] = nameAllTools({ s: ['a.b', 'a_b'] })
  const imitation = String(hashedName).slice('mcp__s__'.length)

  expect(new Set(nameAllTools({ s: ['a.b', 'a_b', imitation] })).size).toBe(3)
})

const part = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.stringMatching(/^[a-b_./ ]{1,5}$/),
  fc.stringMatching(/^[a-z_]{30,90}$/),
)
const tools = fc.uniqueArray(part, { maxLength: 8 })

test('different MCP tools always get different, valid names', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(part, tools), { maxLength: 6, selector: ([server]) => server }), (servers) => {
      const names = nameTools(
        servers.map(([serverName, toolNames]) => ({ serverName, toolNames, prefix: true })),
        NO_RESERVED_NAMES,
      ).flat()
      for (const toolName of names) expect(toolName).toMatch(TOOL_NAME)
      expect(new Set(names).size).toBe(names.length)
    }),
    createPropertyOptions(500),
  )
})
