import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Spill } from '../../results/spill.js'
import { openTestShell, type TestShell } from './test-shell.js'

/** What the tool says of one program that a rule names and that only reads. */
const KNOWN = { confinement: 'read-only', isAllowedByRule: true } as const

let shell: TestShell
beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  mkdirSync(join(shell.folder, 'sub'))
  const write = (name: string, text: string) => writeFileSync(join(shell.folder, name), text, { mode: 0o755 })
  write('ends-by-signal', '#!/bin/sh\nkill -SEGV $$\n')
  write('without-shebang', 'cd sub; basename "$PWD"\n')
  write('parent', '#!/bin/sh\nread -r name < /proc/$PPID/comm; echo "$name"\n')
  write('ends-parent', '#!/bin/sh\nkill -TERM $PPID\n')
})
afterEach(() => shell.close())

test.each<[string, [number, string]]>([
  ['sleep 0', [0, '']],
  ['rmdir sub', [0, '']],
  ['ls no-such-file-here', [2, "ls: cannot access 'no-such-file-here': No such file or directory\n"]],
  ['no-such-program-here', [127, 'bash: line 1: no-such-program-here: command not found\n']],
  ['./sub', [126, 'bash: line 1: ./sub: Is a directory\n']],
  ['./ends-by-signal', [139, '']],
  ['./without-shebang', [0, 'sub\n']],
])('%s ends as it does in a shell', async (command, expected) => {
  const { cwd, exitCode, signal, output } = await shell.run(command, KNOWN)

  expect([exitCode, output.text]).toEqual(expected)
  expect([cwd, signal]).toEqual([shell.folder, null])
})

test('only what is known takes the place of its shell', async () => {
  const parentOf = async (command: string, changes = {}) => (await shell.run(command, changes)).output.text
  expect(await parentOf('./parent', KNOWN)).not.toBe('bash\n')
  expect(await parentOf('./parent')).toBe('bash\n')
  expect(await parentOf('./parent', { isAllowedByRule: true })).toBe('bash\n')
  expect(await parentOf('./parent;', KNOWN)).toBe('bash\n')
})

test('what a program does to its parent is done to a shell', async () => {
  const { signal } = await shell.run('./ends-parent')
  expect(signal).toBe('SIGTERM')
})

test('a program at its limit is ended, and says so', async () => {
  const { timedOut, signal } = await shell.run('sleep 60', { ...KNOWN, timeoutMs: 50 })
  expect([timedOut, signal]).toEqual([true, 'SIGTERM'])
})
