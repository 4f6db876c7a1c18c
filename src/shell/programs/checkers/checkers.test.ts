import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../analyse-command.js'

const analyse = (command: string) => analyseCommand(command, { cwd: '/home/dev/proj' })
const writesOf = (command: string) => analyse(command).commands.flatMap(({ writes }) => writes)
const readsOf = (command: string) => analyse(command).commands.flatMap(({ reads }) => reads)

describe('printf:', () => {
  test.each(["printf '%s\\n' a", "printf '%-20s %5.2f %%' a 1", "printf '%(%F %T)T' -1", 'printf %b x', 'printf %n'])(
    '%s is read-only',
    (command) => expect(analyse(command).isReadOnly).toBe(true),
  )

  test.each(['%n', 'x%ln', '%hhn', '%5n', '% zn', '%*d', '%1$s', '%y', '%(%n)n', '%'])(
    'the format %s is refused',
    (format) => expect(analyse(`printf '${format}' PATH`).isReadOnly).toBe(false),
  )
})

describe('shells:', () => {
  test.each(['bash -euo pipefail -c ls', 'bash -o noglob -c ls', 'bash -xc ls'])('%s is read-only', (command) =>
    expect(analyse(command).isReadOnly).toBe(true),
  )

  test.each(['keyword', 'physical', 'posix', 'privileged', 'allexport', '$x'])('the mode %s is refused', (mode) =>
    expect(analyse(`bash -o ${mode} -c ls`).isReadOnly).toBe(false),
  )

  test('a script may read the files that its parameters name', () => {
    expect(readsOf(`bash -c 'cat "$1"' _ /etc/a`)).toContain('/etc/a')
    expect(readsOf(`bash -c 'cat f' _ /etc/a`)).not.toContain('/etc/a')
    expect(analyse(`bash -c '"$@"' _ touch x`).isReadOnly).toBe(false)
  })
})

describe('braces in a script for a POSIX shell, which does not expand them:', () => {
  test.each([
    "sh -c 'cat {a.txt,b.txt}'",
    "sh -c 'cat a{1..2}'",
    "dash -c 'head x{a,b}'",
    `sh -c 'cat {"a b",c}'`,
    `sh -c 'cat {a,\\ b}'`,
    `sh -c "cat \\\\' {a,b} \\\\'"`,
    `sh -c "ls # '\ncat {a,b} # '"`,
    `sh -c 'cat {a,{b}}'`,
    `bash -c 'sh -c "cat {a.txt,b.txt}"'`,
  ])('%s is refused', (command) => expect(analyse(command).isReadOnly).toBe(false))

  test.each([
    `sh -c "awk '{print 1, 2}' a"`,
    "sh -c '{ echo a,b; }'",
    `sh -c 'bash -c "cat {a,b}"'`,
    "bash -c 'cat {a,b}'",
    "sh -c 'ls ../a, {}'",
  ])('%s is read-only', (command) => expect(analyse(command).isReadOnly).toBe(true))
})

describe('find:', () => {
  test('the words of a command that -exec runs are not read as tests of find', () => {
    const listFoundFiles = (command: string) => analyse(command).commands.flatMap(({ found = [] }) => found)
    expect(listFoundFiles("find . -type f -exec cat {} ';'")).toEqual([])
    expect(listFoundFiles("find . -exec echo -type f ';' -exec cat {} ';'")).toMatchObject([{ excludesLinks: false }])
    expect(listFoundFiles("find . -exec true {} + -exec echo -type f ';' -exec cat {} +")).toMatchObject([
      { suffix: '' },
    ])
    expect(listFoundFiles("find . -exec echo -name '*.z' ';' -exec cat {} ';'")).toMatchObject([{ suffix: '' }])
    expect(listFoundFiles("find . -name '*.z' -exec echo -o ';' -exec cat {} ';'")).toMatchObject([{ suffix: '.z' }])
    expect(listFoundFiles('find . -path -type -name f -exec cat {} +')).toMatchObject([
      { suffix: 'f', excludesLinks: false },
    ])
    expect(writesOf("find . -exec echo -name x ';' -delete")).toEqual(['./'])
  })

  test('find -delete and find -exec rm count as writes to the folders that they search', () => {
    expect(writesOf('find /etc -delete')).toEqual(['/etc/'])
    expect(writesOf('find . -delete')).toEqual(['./'])
    expect(writesOf("find . -name '*.pyc' -delete")).toEqual([])
    expect(writesOf("find . -name '*.pyc' -o -empty -delete")).toEqual(['./'])
    expect(writesOf('find / -name x -delete')).toEqual(['/'])
    expect(writesOf('find src -exec rm {} +')).toEqual(['src/'])
    expect(writesOf("find src -exec rm {} ';'")).toEqual(['src/'])
    expect(writesOf("find src -fprintf out '%p' -print")).toEqual(['out'])
  })

  test.each(['find . -name test*', 'find . -name *.js', 'find -L . -name x'])('%s is read-only', (command) =>
    expect(analyse(command).isReadOnly).toBe(true),
  )

  test.each(['find . -name *', 'find . -name *elete', 'find -L . -exec cat {} +', 'find . -follow -exec cat {} +'])(
    '%s is not read-only',
    (command) => expect(analyse(command).isReadOnly).toBe(false),
  )
})

describe('scripts in words:', () => {
  test('each possible text of a script is checked', () => {
    const createLoop = (values: string) => `for i in ${values}; do sed -n "\${i}p" f; done`
    expect(analyse(createLoop('1 2')).isReadOnly).toBe(true)
    expect(analyse(createLoop('1 1e')).isReadOnly).toBe(false)
  })

  test('the files that sed and awk scripts write count as writes', () => {
    expect(writesOf("sed -n 'w out' f")).toEqual(['out'])
    expect(writesOf(`awk '{print > "out"}' f`)).toEqual(['out'])
    expect(analyse("sed -n 'w out' f").isReadOnly).toBe(false)
  })
})

test.each([
  ...['rg x sub', 'fdfind x sub', 'fdfind --search-path sub x', 'fdfind x', 'ag x sub', 'ag -g x'],
  ...['tree --gitignore', 'tree --gitignore sub', 'tree sub --gitignore'],
])('the ignore files that %s reads are examined', (command) => {
  const foundFiles = analyse(command).commands.flatMap(({ found = [] }) => found)
  expect(foundFiles).toContainEqual(expect.objectContaining({ areIgnoreFiles: true }))
})
