import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { createFakePaths, createFixtureTool, decideOn, readStatedCommand } from '../fixture-calls.js'

const cwd = '/home/dev/proj'
const bash = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand, runsOnlyItsCommand: true })
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  [cwd]: ['a.log', 'b.txt', '.git', '.bashrc', 'packages', 'team.code-workspace', 'docs', 'homelink'],
  [`${cwd}/packages`]: ['one', 'two'],
  [`${cwd}/packages/one`]: ['dist', '.git'],
  [`${cwd}/packages/two`]: ['dist'],
  '/home/dev': ['proj', '.bashrc'],
}

async function decide(command: string, deny: readonly string[] = []) {
  return decideOn(
    bash,
    { command },
    {
      pathContext: { cwd, homeDir: '/home/dev' },
      shell: { analyse: ({ text }, folder) => analyseCommand(text, { cwd: folder, home: '/home/dev' }) },
      paths: {
        ...createFakePaths({
          links: { [`${cwd}/homelink`]: '/home/dev' },
          folders: [`${cwd}/packages/one`, `${cwd}/packages/one/.git`],
        }),
        entries: (folder: string) => (ENTRIES[folder.replace(/(.)\/$/, '$1')] ?? []).map((name) => `${folder}/${name}`),
      },
      rules: { allow: ['Bash'], deny },
    },
  )
}

describe('with Bash allowed, a write to files that a pattern selects', () => {
  test.each([
    'rm -f *.log',
    'rm -rf build/*',
    'cp docs/*.md out',
    'mv *.txt docs/',
    'rm -rf packages/*/dist',
    'for f in *.log; do rm "$f"; done',
    'sed -i s/a/b/ *.txt',
    'mv docs/a.txt .',
  ])('runs: %s', async (command) => {
    expect((await decide(command)).behavior).toBe('allow')
  })

  test.each([
    ['everything in the project', 'rm -rf *'],
    ['everything in the project', 'rm -rf ./*'],
    ['everything in the home folder', 'rm -rf ~/*'],
    ['everything above', 'rm -rf ../*'],
    ['a hidden protected file', 'rm .bash*'],
    ['a hidden protected file', 'rm -f .[b]ashrc'],
    ['a protected folder', 'rm -rf .g*'],
    ['a protected folder at another level', 'rm -rf */*/.git'],
    ['a folder that contains a protected one', 'rm -rf packages/*'],
    ['a visible protected file', 'sed -i s/a/b/ *.code-workspace'],
    ['a link to the home folder', 'rm -rf home*'],
    ['files that an option adds', 'shopt -s dotglob; rm -f *'],
    ['files that a variable adds', 'GLOBIGNORE=x; rm -f *'],
    ['files that an option of the shell adds', "bash -O dotglob -c 'rm -f *'"],
    ['a protected target', 'mv *.txt .git/'],
  ])('asks about %s: %s', async (_, command) => {
    expect((await decide(command)).behavior).toBe('ask')
  })

  test('asks if a rule covers a selected file, whether it exists or not', async () => {
    expect((await decide('rm -f *.log', ['Edit(/a.log)'])).behavior).not.toBe('allow')
    expect((await decide('rm -f *.log', ['Edit(/new.log)'])).behavior).not.toBe('allow')
    expect((await decide('rm -f *.log', ['Edit(/new.txt)'])).behavior).toBe('allow')
    expect((await decide('rm -f *.log', ['Bash(rm -rf:*)'])).behavior).toBe('allow')
  })
})
