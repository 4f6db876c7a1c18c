import { expect, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import { findAlternatives } from './rule-alternatives.js'

function questionAbout(commands: readonly (readonly string[])[]): PermissionQuestion {
  const tool = commands.length === 0 ? {} : { command: () => ({ text: '', language: 'bash' }) }
  return { tool, input: {}, command: { commands: commands.map((words) => ({ words })) } } as never
}

test.each([
  ['Bash(npm run test:*)', [['npm', 'run', 'test', 'x']], 'Bash(npm run test x)', 'Bash(npm run:*)'],
  ['Bash(git commit:*)', [['git', 'commit', '-m', 'a b']], "Bash(git commit -m 'a b')", 'Bash(git:*)'],
  ['Bash(touch:*)', [['ls'], ['touch', 'a']], 'Bash(touch a)', undefined],
  ['Bash(make)', [['make']], undefined, 'Bash(make:*)'],
  ['Bash(node x.js)', [['node', 'x.js']], undefined, undefined],
])('finds a narrower and a broader rule for %s', (rule, commands, narrower, broader) => {
  expect(findAlternatives([rule], questionAbout(commands))).toEqual({
    narrower: narrower === undefined ? undefined : [narrower],
    broader: broader === undefined ? undefined : [broader],
  })
})

test.each([
  ['Edit(/src/a.ts)', 'Edit(/src/**)'],
  ['mcp__github__create_issue', 'mcp__github'],
  ['WebFetch(domain:example.com)', 'WebFetch'],
  ['Write', undefined],
])('a broader rule than %s is %s', (rule, broader) => {
  expect(findAlternatives([rule], questionAbout([])).broader).toEqual(broader === undefined ? undefined : [broader])
})
