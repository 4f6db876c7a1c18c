import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ConfinedCommand, explainRefusals } from '../src/ports/sandbox/explain/explain-refusals.js'
import { watchOperations } from '../src/ports/sandbox/protect/new-operations.js'

/** Texts of a project or a command that are searched with patterns. Quadratic time would let each test exceed its time limit. */
const LENGTH = 200_000

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-long-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('long rules and names in the settings of an untrusted project do not delay the start', () => {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  for (const path of [home, join(project, '.git'), join(project, '.haft')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(project, 'a.txt'), 'one\n')
  const repeat = (text: string) => text.repeat(100_000 / text.length)
  const deny = [
    `Read(${repeat('{')})`,
    `Read(${repeat('[')})`,
    `WebFetch(domain:${repeat('.')}x)`,
    `Bash(a${repeat(' ')}x)`,
  ]
  const settings = { permissions: { deny }, sandbox: { allowedDomains: [`${repeat(':')}!`] }, [`a${repeat(' ')}b`]: 1 }
  writeFileSync(join(project, '.haft/settings.json'), JSON.stringify(settings))

  const args = [join(import.meta.dirname, '../bin/haft'), 'call', 'Read', '{"file_path":"a.txt"}']
  const env = { HOME: home, PATH: process.env.PATH }
  expect(execFileSync(process.execPath, args, { cwd: project, env, encoding: 'utf8', stdio: 'pipe' })).toContain('one')
})

test.each([
  ['quotes', '‘'],
  ['letters', 'a'],
  ['slashes', '/'],
  ['addresses', 'localhost:'],
  ['lines', '/x: Permission denied\n'],
])('the output of a failed command that consists of many %s is explained in linear time', (_, text) => {
  const output = `${text.repeat(LENGTH / text.length)}: Permission denied, connection refused\n/hidden/x: Permission denied\n`
  const command: ConfinedCommand = {
    confinement: 'workspace',
    ...{ cwd: '/code', writableFolders: ['/code'], showsOtherFiles: true, hasProxy: false },
    ...{ allowsUnixSockets: false, allowsUnsandboxed: true, hosts: [] },
    mounts: [{ path: '/hidden', kind: 'hidden-folder' }],
  }
  const facts = { canWrite: () => false, exists: () => false, needsCapabilities: () => false, isListening: () => false }

  expect(explainRefusals({ output, exitCode: 1 }, command, facts)[0]).toContain('The sandbox hides /hidden/x')
})

test.each([
  ['many line ends', '\n'.repeat(1_000_000), ['sequencer']],
  ['many blanks', `strategy${' '.repeat(1_000_000)}`, ['sequencer.disabled']],
  ['an unknown strategy', '[options]\n\tstrategy = evil\n', ['sequencer.disabled']],
  ['an unknown strategy beside its section', '[options] strategy = evil\n', ['sequencer.disabled']],
  ['a known strategy', '[options]\n\tstrategy = ort\n', ['sequencer']],
])('a cherry-pick that a command leaves is disabled unless git knows its strategy: %s', (_, options, names) => {
  const disableLeft = watchOperations([folder])
  mkdirSync(join(folder, 'sequencer'))
  writeFileSync(join(folder, 'sequencer/opts'), options)

  disableLeft()
  expect(readdirSync(folder)).toEqual(names)
})
