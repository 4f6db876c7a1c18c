import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isScriptVariable, isShellVariable } from './environment-variables.js'

test('every variable that bash sets itself is a shell variable', () => {
  const output = execFileSync('bash', ['--norc', '--noprofile', '-c', 'compgen -v'], { env: {}, encoding: 'utf8' })
  const names = output.trim().split('\n')

  expect(names).toContain('RANDOM')
  expect(names.filter((name) => !isShellVariable(name) || isScriptVariable(name))).toEqual([])
})

test.each(['HISTCMD', 'OPTIND', 'READLINE_POINT', 'COMP_POINT', 'histchars', 'LC_ALL', 'LD_PRELOAD', '_'])(
  '%s must not be set by scripts for themselves',
  (name) => {
    expect(isScriptVariable(name)).toBe(false)
  },
)

test.each(['x', 'file', 'FILE', 'count', 'my_dir'])('%s may be set by scripts for themselves', (name) => {
  expect(isScriptVariable(name)).toBe(true)
})
