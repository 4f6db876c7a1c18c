import { expect, test } from 'vitest'
import { BashTool, behaviorOf } from './fixture-calls.js'

function decide(command: string, rules: { allow?: string[]; deny?: string[]; ask?: string[] }) {
  return behaviorOf(BashTool, { command }, { rules })
}

test('a command of plain words is allowed by the rule that spells it out, and by no other with content', async () => {
  expect(await decide('npm run build', { allow: ['Bash(npm run build)'] })).toBe('allow')
  expect(await decide(' npm  run build ', { allow: ['Bash(npm run build)'] })).toBe('allow')
  for (const rule of ['Bash(npm run build:*)', 'Bash(npm:*)', 'Bash(npm * build)', 'Bash(npm run)', 'Bash(npm*)']) {
    expect(await decide('npm run build', { allow: [rule] })).toBe('ask')
  }
})

test('a command with any character that means something to a shell is asked even where a rule spells it out', async () => {
  const commands = [
    'a; b',
    'a && b',
    'a | b',
    'a > b',
    'a $b',
    'a `b`',
    'a "b"',
    "a 'b'",
    'a *',
    'a ~',
    'a {b}',
    'a #b',
    'a\nb',
    'a\tb',
    'a !b',
    'a \\b',
    'é',
  ]
  for (const command of commands) {
    expect(await decide(command, { allow: [`Bash(${command})`] })).toBe('ask')
  }
})

test('nothing is read-only, whatever the tool says', async () => {
  expect(await decide('ls', {})).toBe('ask')
  expect(await behaviorOf(BashTool, { command: 'ls' }, { mode: 'plan' })).toBe('deny')
})

test('the bare rule covers everything, unless a rule restricts commands', async () => {
  expect(await decide('a | b > c', { allow: ['Bash'] })).toBe('allow')
  expect(await decide('a | b > c', { allow: ['Bash(*)'] })).toBe('allow')
  expect(await decide('npm run build', { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('ask')
  expect(await decide('npm run build', { allow: ['Bash'], ask: ['Bash(git push:*)'] })).toBe('ask')
})

test('a deny rule sees every place where a command could begin', async () => {
  const commands = [
    'rm x',
    'ls; rm x',
    'ls && rm x',
    'ls | rm x',
    '(rm x)',
    '{ rm x; }',
    'a $(rm x)',
    'a `rm x`',
    "'rm' x",
    'r\\m x',
    'a\nrm x',
    'a <(rm x)',
    'bash -c "true; rm x"',
  ]
  for (const command of commands) expect(await decide(command, { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('deny')
})

test('a deny rule that is not seen is still a question, never an allow', async () => {
  const commands = ['sudo rm x', '/bin/rm x', 'env A=1 rm x', '$X y', 'r""m x', 'command rm x', 'FOO=1 rm x', 'if rm x']
  for (const command of commands) {
    expect(await decide(command, { allow: ['Bash', `Bash(${command})`], deny: ['Bash(rm:*)'] })).not.toBe('allow')
  }
})
