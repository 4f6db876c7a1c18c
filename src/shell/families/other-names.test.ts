import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'

const CWD = '/home/dev/project'

function readsOf(command: string): readonly string[] {
  const { isReadOnly, commands } = analyseCommand(command, { cwd: CWD })
  expect(isReadOnly).toBe(true)
  return commands.flatMap(({ reads }) => reads).map((path) => path.replace(`${CWD}/`, ''))
}

describe('files that a program opens besides its operands:', () => {
  test.each([
    ['ssh-keygen -lf src/k', 'src/k.pub'],
    ['ssh-keygen -B -f src/k', 'src/k.pub'],
    ['zipnote docs/archive', 'docs/archive.zip'],
    ['unzip -l docs/archive', 'docs/archive.zip'],
    ['zcat docs/file', 'docs/file.gz'],
    ['for f in a b; do zcat "$f"; done', 'b.gz'],
    ['hexdump -fx README.md', 'x'],
    ['hd -vfx README.md', 'x'],
    ['modinfo ../secret.ko', '../secret.ko'],
    ['modinfo -F description secret.ko', 'secret.ko'],
    ['join -1 2 a.txt b.txt', 'b.txt'],
    ['tac -s x a.txt', 'a.txt'],
    ['zdiff README.md docs', 'docs'],
    ['git check-attr -a out/deep/a', 'out/deep/.gitattributes'],
    ['git hash-object out/deep/a', 'out/.gitattributes'],
    ['git hash-object --path=out/a README.md', 'out/.gitattributes'],
    ['git diff --no-index out/a out/b', 'out/.gitattributes'],
    ['git diff --no-index out lib', 'lib/.gitattributes'],
  ])('%s may read %s', (command, file) => {
    expect(readsOf(command)).toContain(file)
  })

  test('an option value that names no file is not listed as read', () => {
    expect(readsOf('join -1 2 -2 1 a.txt b.txt')).toEqual(['a.txt', 'b.txt'])
    expect(readsOf('tac -s ../x a.txt')).toEqual(['a.txt'])
  })
})

test.each([
  'ps aux',
  'ps -ef',
  'ps -aux',
  'ps -eo pid,comm,etime --sort=-pid',
  'ps axo pid,etime',
  'ps -u dev',
  'ps -p 1 -o etime=',
  'awk -v n="$x" \'{print n}\' README.md',
  'TERM=xterm-256color tput cols',
  "zgrep -i 'error [45]..' docs/file.gz",
  'prlimit --pid 1 --nofile',
  'ulimit -Sn',
  'objdump -x prog',
  'nm -p prog',
  'more -n 5 README.md',
  'zdiff docs/file.gz docs/file.gz',
])('%s is read-only', (command) => {
  expect(analyseCommand(command, { cwd: CWD }).isReadOnly).toBe(true)
})
