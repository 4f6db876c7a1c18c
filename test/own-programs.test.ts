import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const BIN = join(import.meta.dirname, '..', 'bin', 'haft')
/** Programs that Haft, its supervisor and its sandbox start. */
const OBSERVED_PROGRAMS = [
  'mkfifo',
  'git',
  'sh',
  'bash',
  'cat',
  'ps',
  'kill',
  'rm',
  'sleep',
  'rg',
  'bwrap',
  'nsenter',
  'env',
]

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-own-')))
  project = join(home, 'project')
  mkdirSync(join(home, '.haft'))
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true })
  for (const name of [...OBSERVED_PROGRAMS, 'formatter']) plant(name)
})
afterEach(() => rmSync(home, { recursive: true }))

/** Creates a program in the project that creates a file when it is started. */
function plant(name: string, folder = 'node_modules/.bin'): void {
  mkdirSync(join(project, folder), { recursive: true })
  const path = join(project, folder, name)
  writeFileSync(path, `#!/bin/sh\n: > ${join(home, `started-${name}`)}\n`)
  chmodSync(path, 0o755)
}

function run(tool: string, input: object, ...options: string[]): void {
  runIn(project, join(project, 'node_modules/.bin'), tool, input, options)
}

function runIn(cwd: string, firstFolder: string, tool: string, input: object, options: readonly string[] = []): void {
  const env = { PATH: [firstFolder, process.env.PATH].join(delimiter), HOME: home }
  execFileSync(process.execPath, [BIN, 'call', tool, JSON.stringify(input), ...options], { cwd, env })
}

function listStartedPrograms(): readonly string[] {
  return [...OBSERVED_PROGRAMS, 'formatter'].filter((name) => existsSync(join(home, `started-${name}`)))
}

test('no program of the project runs for a read-only call, although PATH names its folder first', () => {
  execFileSync('/usr/bin/env', ['git', 'init', '-q', project])

  run('Bash', { command: 'echo a | sort; type cd' })
  run('Bash', { command: 'git status' })
  run('Grep', { pattern: 'x' })
  run('Glob', { pattern: '*' })

  expect(listStartedPrograms()).toEqual([])
})

test('no program of the project runs if PATH names a link to its folder, or if Haft works in a subfolder', () => {
  execFileSync('/usr/bin/env', ['git', 'init', '-q', project])
  for (const name of OBSERVED_PROGRAMS) plant(name, 'bin')
  symlinkSync(join(project, 'bin'), join(home, 'link'))
  mkdirSync(join(project, 'sub'))
  for (const name of ['a.txt', 'sub/a.txt']) writeFileSync(join(project, name), '')
  const settings = ['--settings', JSON.stringify({ sandbox: { enabled: false } })]

  runIn(project, join(home, 'link'), 'Bash', { command: 'cat a.txt; git status' }, settings)
  // Without a sandbox, git needs approval in a subfolder, because the repository is larger than the working directory.
  runIn(join(project, 'sub'), join(project, 'bin'), 'Bash', { command: 'cat a.txt; git --version' }, settings)

  expect(listStartedPrograms()).toEqual([])
})

test('a formatter of the project is started only after the project is trusted', () => {
  const formatters = { mine: { command: 'formatter', extensions: ['.ts'] } }
  writeFileSync(join(home, '.haft/settings.json'), JSON.stringify({ formatters, permissions: { allow: ['Write'] } }))
  const write = (...options: string[]) => run('Write', { file_path: 'a.ts', content: '1' }, ...options)

  write()
  expect(listStartedPrograms()).toEqual([])

  rmSync(join(project, 'a.ts'))
  write('--trust')
  expect(listStartedPrograms()).toEqual(['formatter'])
})
