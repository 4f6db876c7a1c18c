import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

/** A program of the project that leaves a trace when it is started. */
function plant(name: string): void {
  const path = join(project, 'node_modules/.bin', name)
  writeFileSync(path, `#!/bin/sh\n: > ${join(home, `started-${name}`)}\n`)
  chmodSync(path, 0o755)
}

function run(tool: string, input: object, ...options: string[]): void {
  const path = [join(project, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const env = { PATH: path, HOME: home }
  execFileSync(process.execPath, [BIN, 'call', tool, JSON.stringify(input), ...options], { cwd: project, env })
}

function startedPrograms(): readonly string[] {
  return [...OBSERVED_PROGRAMS, 'formatter'].filter((name) => existsSync(join(home, `started-${name}`)))
}

test('no program of the project runs for a read-only call, although PATH names its folder first', () => {
  execFileSync('/usr/bin/env', ['git', 'init', '-q', project])

  run('Bash', { command: 'echo a | sort; type cd' })
  run('Bash', { command: 'git status' })
  run('Grep', { pattern: 'x' })
  run('Glob', { pattern: '*' })

  expect(startedPrograms()).toEqual([])
})

test('a formatter of the project is started only after the project is trusted', () => {
  const formatters = { mine: { command: 'formatter', extensions: ['.ts'] } }
  writeFileSync(join(home, '.haft/settings.json'), JSON.stringify({ formatters, permissions: { allow: ['Write'] } }))
  const write = (...options: string[]) => run('Write', { file_path: 'a.ts', content: '1' }, ...options)

  write()
  expect(startedPrograms()).toEqual([])

  rmSync(join(project, 'a.ts'))
  write('--trust')
  expect(startedPrograms()).toEqual(['formatter'])
})
