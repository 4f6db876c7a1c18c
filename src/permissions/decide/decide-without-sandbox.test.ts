import { expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { BashTool, decideOn, type FixtureDecision, fakePaths, fixtureTool, statedCommand } from '../fixture-calls.js'

const tool = fixtureTool('Bash', { ...BashTool, runsOnlyItsCommand: true, command: statedCommand })

function decide(command: string, options: FixtureDecision = {}) {
  const analysis = analyseCommand(command, { cwd: '/project', home: '/home/dev' })
  return decideOn(tool, { command }, { command: analysis, canConfine: () => false, ...options })
}

test.each([
  ['cat src/a | head -5', 'allow'],
  ['git log --oneline -5 && git status', 'allow'],
  ["awk '{print $1}' src/a", 'ask'],
  ['sed -n 5p src/a', 'ask'],
  ['jq .name package.json', 'ask'],
  ['for f in a b; do cat $f; done', 'ask'],
  ['bash -c "ls"', 'ask'],
])(
  'without a sandbox, the decision about %j is %s; with a sandbox, the command is allowed',
  async (command, expected) => {
    expect((await decide(command)).behavior).toBe(expected)
    expect((await decide(command, { canConfine: () => true })).behavior).toBe('allow')
  },
)

test.each(['git diff', 'git diff -- src', 'git --no-pager blame src/a'])(
  'without a sandbox, the user is asked about %j if a rule denies reading files that git might print',
  async (command) => {
    const rules = { deny: ['Read(.env)'] }
    expect((await decide(command)).behavior).toBe('allow')
    expect((await decide(command, { rules })).behavior).toBe('ask')
    expect((await decide('git status && cat src/a', { rules })).behavior).toBe('allow')
    expect((await decide(command, { rules, canConfine: () => true })).behavior).toBe('allow')
  },
)

test('without a sandbox, the user is asked about a command that reads through a link in a working directory', async () => {
  const paths = fakePaths({ links: { '/project/link': '/project/src', '/home/dev/link': '/home/dev/other' } })
  expect((await decide('cat link/a', { paths })).behavior).toBe('ask')
  expect((await decide('cat link/a', { paths, canConfine: () => true })).behavior).toBe('allow')
  for (const command of ['cat src/a', 'ls link'])
    expect((await decide(command, { paths })).behavior, command).toBe('allow')
})

test('a working directory that is itself reached through a link causes no question', async () => {
  const paths = fakePaths({ links: { '/project': '/data/project' } })
  expect((await decide('cat src/a', { paths })).behavior).toBe('allow')
})

test('a question that is asked for lack of a sandbox says so', async () => {
  expect((await decide('jq .name package.json')).message).toContain('there is no sandbox')
})

test('without a sandbox, each part of an allowed command has a rule or is an audited core command', async () => {
  const rules = { allow: ['Bash(npm test:*)'] }
  expect((await decide('npm test | tail -5', { rules })).behavior).toBe('allow')
  expect((await decide("npm test | awk '{print $1}'", { rules })).behavior).toBe('ask')
  expect((await decide("npm test | awk '{print $1}'", { rules, canConfine: () => true })).behavior).toBe('allow')
})

test('without a sandbox, allow rules and bypassPermissions allow the same commands as with one', async () => {
  const command = 'jq .name package.json'
  expect((await decide(command, { rules: { allow: ['Bash(jq:*)'] } })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'bypassPermissions' })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'plan' })).behavior).toBe('ask')
})

test('without a sandbox, auto mode does not allow a command just because its analysis is read-only', async () => {
  expect((await decide('jq .name package.json', { mode: 'auto', canAsk: false })).behavior).not.toBe('allow')
})

test('the sandbox is not probed unless the decision depends on it', async () => {
  let count = 0
  const canConfine = () => {
    count++
    return true
  }
  await decide('cat src/a', { canConfine })
  await decide('touch x', { canConfine })
  expect(count).toBe(0)
})
