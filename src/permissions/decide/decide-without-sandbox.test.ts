import { expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { BashTool, decideOn, type FixtureDecision, fixtureTool, statedCommand } from '../fixture-calls.js'

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
])('without a sandbox, %j leads to %s; with one it is allowed', async (command, expected) => {
  expect((await decide(command)).behavior).toBe(expected)
  expect((await decide(command, { canConfine: () => true })).behavior).toBe('allow')
})

test.each(['git diff', 'git log -p', 'git show HEAD', 'git --no-pager blame src/a'])(
  'without a sandbox, %j asks if a rule denies reading some files, which git would print',
  async (command) => {
    const rules = { deny: ['Read(.env)'] }
    expect((await decide(command)).behavior).toBe('allow')
    expect((await decide(command, { rules })).behavior).toBe('ask')
    expect((await decide('git status && cat src/a', { rules })).behavior).toBe('allow')
    expect((await decide(command, { rules, canConfine: () => true })).behavior).toBe('allow')
  },
)

test('the question says that there is no sandbox', async () => {
  expect((await decide('jq .name package.json')).message).toContain('there is no sandbox')
})

test('a part of a command that no rule covers must be in the core', async () => {
  const rules = { allow: ['Bash(npm test:*)'] }
  expect((await decide('npm test | tail -5', { rules })).behavior).toBe('allow')
  expect((await decide("npm test | awk '{print $1}'", { rules })).behavior).toBe('ask')
  expect((await decide("npm test | awk '{print $1}'", { rules, canConfine: () => true })).behavior).toBe('allow')
})

test('rules and modes of the user allow the same as with a sandbox', async () => {
  const command = 'jq .name package.json'
  expect((await decide(command, { rules: { allow: ['Bash(jq:*)'] } })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'bypassPermissions' })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'plan' })).behavior).toBe('ask')
})

test('in auto mode the classifier decides, and its local rules do not take the analysis for granted', async () => {
  expect((await decide('jq .name package.json', { mode: 'auto', canAsk: false })).behavior).not.toBe('allow')
})

test('the sandbox is not looked for unless the decision depends on it', async () => {
  let count = 0
  const canConfine = () => {
    count++
    return true
  }
  await decide('cat src/a', { canConfine })
  await decide('touch x', { canConfine })
  expect(count).toBe(0)
})
