import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Spill } from '../../results/spill.js'
import { analyseCommand } from '../../shell/analyse-command.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'

let shell: TestShell

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  mkdirSync(join(shell.folder, 'sub'))
})

afterEach(() => shell.close())

/** Returns the folder in which a command ends, relative to where it started, its exit code and its output. */
async function runAndDescribe(command: string): Promise<[string, number | null, string]> {
  const analysis = analyseCommand(command, { cwd: shell.folder })
  const { cwd, exitCode, output } = await shell.run(command, { analysis })
  return [cwd.replace(shell.folder, '.'), exitCode, output.text]
}

test.each<[string, [string, number, string]]>([
  ['cd sub', ['./sub', 0, '']],
  ['cd sub; cd ..; echo back', ['.', 0, 'back\n']],
  ['cd sub; exit 3', ['./sub', 3, '']],
  ['cd sub; false', ['./sub', 1, '']],
  ['set -e; cd sub; (exit 4); cd /', ['./sub', 4, '']],
  ['cd sub; exec true', ['./sub', 0, '']],
  ['cd sub && exec sh -c "exit 6"', ['./sub', 6, '']],
  ['exec >file; cd sub; exit 2', ['./sub', 2, '']],
  ['(cd sub)', ['.', 0, '']],
  ['cd sub | cat', ['.', 0, '']],
  ['x=$(cd sub; pwd); true', ['.', 0, '']],
  ['cd sub & wait', ['.', 0, '']],
  ['f() { cd sub; exit 5; }; f', ['./sub', 5, '']],
  ['pwd() { echo mine; }; cd sub; pwd', ['./sub', 0, 'mine\n']],
  ['cd sub; PWD=/; unset OLDPWD', ['./sub', 0, '']],
  ['mkdir "a b\nc"; cd a*', ['./a b\nc', 0, '']],
  ['cd sub; rmdir ../sub', ['.', 0, '']],
  ['cd sub; kill -KILL $$', ['.', 137, '']],
  ['exec 99>&-; cd sub; exit 3', ['.', 3, '']],
  ['set -euo pipefail; cd sub; exec 99>&-; exit 3', ['./sub', 3, '']],
  ['echo fake >&99; cd sub', ['.', 0, '']],
  // The command's own traps still work.
  ['trap "echo bye" EXIT; cd sub', ['./sub', 0, 'bye\n']],
  ['trap "echo bye" EXIT; cd sub; exit 3', ['./sub', 3, 'bye\n']],
  ['trap "echo bye $?; exit 8" EXIT; set -e; cd sub; false', ['./sub', 8, 'bye 0\n']],
  ['trap "echo bye; cd /" EXIT; cd sub; (exit 7)', ['./sub', 7, 'bye\n']],
  ['trap "echo bye" EXIT; trap - EXIT; cd sub', ['./sub', 0, '']],
  ['trap "echo term" TERM; cd sub; kill $$; echo on', ['./sub', 0, 'term\non\n']],
  // Finding the final folder does not change the special variables $_, $? and $PIPESTATUS.
  ['true exec; echo a b; echo $_; false; echo $? $PIPESTATUS', ['.', 0, 'a b\nb\n1 1\n']],
  ['for i in 1 2 3; do cd sub; cd ..; done; trap - EXIT; cd sub; false', ['./sub', 1, '']],
])('the final folder, exit code and output are reported for: %s', async (command, expected) => {
  const [cwd, exitCode, text] = await runAndDescribe(command)

  const isKilled = expected[1] === 137
  expect([cwd, isKilled ? 137 : exitCode, text]).toEqual(expected)
})

test('the final folder is reported even if a command that was not analysed replaces its shell', async () => {
  const { cwd } = await shell.run('cd sub; exec true')

  expect(cwd).toBe(join(shell.folder, 'sub'))
})

test('a final folder reached through a link is reported with the path of the link', async () => {
  symlinkSync(join(shell.folder, 'sub'), join(shell.folder, 'link'))
  const cwd = join(shell.folder, 'link')

  expect((await shell.run('pwd', { cwd })).cwd).toBe(cwd)
  expect((await shell.run('mkdir in; cd in', { cwd })).cwd).toBe(join(cwd, 'in'))
})
