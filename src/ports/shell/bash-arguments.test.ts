import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isProgramAlone } from './bash-arguments.js'

describe('a program alone', () => {
  test.each([
    'sleep 0.5',
    'git status',
    'ls -la src/ports',
    './run.sh --port=80',
    'a.b',
    'tar -C /tmp -xf a:b@c,d%e+f',
  ])('%s', (command) => {
    expect(isProgramAlone(command)).toBe(true)
  })

  test.each([
    '',
    ' ls',
    'ls\n',
    'ls\ncd /',
    'A=1 ls',
    'A=1',
    'cd sub',
    '--version',
    '-c ls',
    'eval ls',
    'ls; cd /',
    'ls & cd /',
    'ls *.ts',
    'ls ~',
    'ls "a b"',
    'ls $HOME',
    'ls {a,b}',
    'ls >file',
    '! ls',
    'ls \\',
    'ls #a',
    `ls ${'a'.repeat(20_000)}`,
  ])('not %j', (command) => {
    expect(isProgramAlone(command)).toBe(false)
  })

  test('never what bash does itself', () => {
    const words = execFileSync('bash', ['-c', 'compgen -b; compgen -k'], { encoding: 'utf8' }).trim().split('\n')
    expect(words).toContain('cd')
    expect(words.filter((word) => isProgramAlone(`${word} a`))).toEqual([])
  })
})
