import { expect, test } from 'vitest'
import { BashTool, behaviorOf, decideOn, PATH_CONTEXT } from '../fixture-calls.js'

function decide(command: string, rules: { allow?: string[]; deny?: string[]; ask?: string[] }) {
  return behaviorOf(BashTool, { command }, { rules })
}

test('an unknown command of plain words is allowed by a rule with exactly its text, but not by a prefix', async () => {
  expect(await decide('npm run build', { allow: ['Bash(npm run build)'] })).toBe('allow')
  expect(await decide(' npm  run build ', { allow: ['Bash(npm run build)'] })).toBe('allow')
  for (const rule of ['Bash(npm run build:*)', 'Bash(npm:*)', 'Bash(npm * build)', 'Bash(npm run)', 'Bash(npm*)']) {
    expect(await decide('npm run build', { allow: [rule] })).toBe('ask')
  }
})

test('an unknown command with a special shell character is asked about despite a rule with its text', async () => {
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

test('an unknown command is not read-only, even if the tool says so', async () => {
  expect(await decide('ls', {})).toBe('ask')
  expect(await behaviorOf(BashTool, { command: 'ls' }, { mode: 'plan' })).toBe('deny')
})

test('a bare Bash rule allows every unknown command, unless a rule restricts commands', async () => {
  expect(await decide('a | b "c"', { allow: ['Bash'] })).toBe('allow')
  expect(await decide('a | b "c"', { allow: ['Bash(*)'] })).toBe('allow')
  expect(await decide('a > /dev/null 2>&1; b 2>/dev/null', { allow: ['Bash'] })).toBe('allow')
  expect(await decide('npm run build', { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('ask')
  expect(await decide('npm run build', { allow: ['Bash'], ask: ['Bash(git push:*)'] })).toBe('ask')
})

test('a deny rule is compared with every place of an unknown command where a command could start', async () => {
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

test('an unknown command that a deny rule may match is never allowed', async () => {
  const commands = ['sudo rm x', '/bin/rm x', 'env A=1 rm x', '$X y', 'r""m x', 'command rm x', 'FOO=1 rm x', 'if rm x']
  for (const command of commands) {
    expect(await decide(command, { allow: ['Bash', `Bash(${command})`], deny: ['Bash(rm:*)'] })).not.toBe('allow')
  }
})

test('an unknown command is never allowed if a deny or ask rule is about files', async () => {
  expect(await decide('cat .env', { allow: ['Bash'], deny: ['Read(.env)'] })).toBe('ask')
  expect(await decide('cat .env', { allow: ['Bash(cat .env)'], deny: ['Read'] })).toBe('ask')
  expect(await decide('touch x', { allow: ['Bash'], deny: ['Edit'] })).toBe('ask')
  expect(await decide('touch x', { allow: ['Bash'], ask: ['Edit(dist/**)'] })).toBe('ask')
  const bypassOptions = { mode: 'bypassPermissions', rules: { deny: ['Read(.env)'] } } as const
  expect(await behaviorOf(BashTool, { command: 'cat .env' }, bypassOptions)).toBe('ask')
  expect(await decide('rm x', { allow: ['Bash'], deny: ['Edit', 'Bash(rm:*)'] })).toBe('deny')
})

test.each([
  'echo evil >> ~/.bashrc',
  'echo {} > .haft/settings.json',
  'a | b > c',
  'a >&1.x',
  'a >/dev/null.x',
  'echo x | tee y',
  'cp x ~/.ba"sh"rc',
  'cp x ~/.b\\ashrc',
  'cp x ~/.BASHRC',
  'cp x .git/config',
  'cp x sub\\.git\\config',
  'cp x /etc/profile.d/y.sh',
  'cp x ~/.bash*',
  'cp x ~/.{bashrc}',
  'cp x a.code-workspace',
])('`%s` is asked about despite every allow rule and mode, because it may write a protected file', async (command) => {
  for (const mode of ['default', 'bypassPermissions'] as const) {
    const outcome = await decideOn(BashTool, { command }, { mode, rules: { allow: ['Bash'] } })
    expect([outcome.behavior, outcome.reason.type]).toEqual(['ask', 'safety'])
  }
})

test.each(['ls .github', 'git clone x.git', 'cat ./*', 'cat .gitignore', 'npm run build', 'ls ../*'])(
  '`%s` is allowed by a bare Bash rule, because it names no protected file',
  async (command) => {
    expect(await decide(command, { allow: ['Bash'] })).toBe('allow')
  },
)

test('an unknown command that names a file protected by the host is asked about', async () => {
  const pathContext = { ...PATH_CONTEXT, protectedPaths: () => ['/project/scripts/check.sh'] }
  expect(
    await behaviorOf(BashTool, { command: 'cp x scripts/check.sh' }, { pathContext, mode: 'bypassPermissions' }),
  ).toBe('ask')
})
