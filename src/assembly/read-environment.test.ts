import { describe, expect, test } from 'vitest'
import { readEnvironment } from './read-environment.js'

const read = (variables: Record<string, string>, platform = 'linux') => readEnvironment(variables, platform).environment

test('without variables, every flag has its default', () => {
  expect(read({})).toEqual({
    HAFT_INTERNAL: false,
    HAFT_SIMPLE: false,
    HAFT_REPL_MODE: false,
    ENABLE_LSP_TOOL: true,
    HAFT_EMBEDDED_SEARCH: false,
    HAFT_DISABLE_EXPERIMENTAL_BETAS: false,
    HAFT_POWERSHELL: false,
    HAFT_TASK_LIST_V2: true,
    HAFT_WORKTREE_MODE: true,
    HAFT_AGENT_TEAMS: true,
    HAFT_TOOL_SEARCH: true,
    HAFT_COORDINATOR_MODE: false,
  })
})

test('PowerShell is on by default on Windows, and can be switched either way', () => {
  expect(read({}, 'win32').HAFT_POWERSHELL).toBe(true)
  expect(read({ HAFT_POWERSHELL: '0' }, 'win32').HAFT_POWERSHELL).toBe(false)
  expect(read({ HAFT_POWERSHELL: '1' }).HAFT_POWERSHELL).toBe(true)
})

test('HAFT_REPL_MODE has the value of HAFT_INTERNAL unless it is set itself', () => {
  expect(read({ HAFT_INTERNAL: '1' }).HAFT_REPL_MODE).toBe(true)
  expect(read({ HAFT_INTERNAL: '1', HAFT_REPL_MODE: 'off' }).HAFT_REPL_MODE).toBe(false)
})

describe('HAFT_TOOL_SEARCH', () => {
  test.each([
    ['true', true],
    ['auto', true],
    ['auto:0', true],
    ['auto:99', true],
    ['auto:100', false],
    ['auto:250', false],
    ['false', false],
    ['AUTO:100', false],
    ['auto:-3', true],
  ])('%s is read as %s', (value, expected) => expect(read({ HAFT_TOOL_SEARCH: value }).HAFT_TOOL_SEARCH).toBe(expected))
})

test('an invalid value of an environment variable is ignored and reported', () => {
  const { environment, warnings } = readEnvironment({ HAFT_SIMPLE: 'maybe', HAFT_AGENT_TEAMS: ' ' }, 'linux')

  expect(environment.HAFT_SIMPLE).toBe(false)
  expect(warnings).toEqual(['Ignoring invalid value HAFT_SIMPLE="maybe"; use 1 or 0.'])
})

test('an invalid tool search mode is reported with the valid modes', () => {
  const { environment, warnings } = readEnvironment({ HAFT_TOOL_SEARCH: 'auto:many' }, 'linux')

  expect(environment.HAFT_TOOL_SEARCH).toBe(true)
  expect(warnings).toEqual(['Ignoring invalid value HAFT_TOOL_SEARCH="auto:many"; use true, false, auto or auto:N.'])
})

test('CLAUDE_CODE_SIMPLE counts unless HAFT_SIMPLE is set', () => {
  expect(read({ CLAUDE_CODE_SIMPLE: '1' }).HAFT_SIMPLE).toBe(true)
  expect(read({ CLAUDE_CODE_SIMPLE: '1', HAFT_SIMPLE: '0' }).HAFT_SIMPLE).toBe(false)
})

test('variables of Claude Code that have no effect are named, with what to use instead', () => {
  const { warnings } = readEnvironment({ ENABLE_TOOL_SEARCH: 'auto', MAX_THINKING_TOKENS: '8000' }, 'linux')

  expect(warnings).toEqual([
    'Haft does not read ENABLE_TOOL_SEARCH. Set HAFT_TOOL_SEARCH, with the same values.',
    'Haft does not read MAX_THINKING_TOKENS. Use --max-thinking-tokens.',
  ])
})
