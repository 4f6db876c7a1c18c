import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createInteractive } from './interactive-fixture.mjs'

const PROGRAMS = ['rg', 'git', 'vi', 'cat', 'stty', 'sh']
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

/** Opens `haft` in an untrusted project with a repository. PATH names a folder of the project first. */
async function openUntrusted() {
  const interactive = await createInteractive({ files: { 'a.txt': 'one\n' }, isTrusted: false })
  cleanups.push(() => interactive.close())
  const { project, home } = interactive
  const bin = join(project, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  for (const name of PROGRAMS) {
    writeFileSync(join(bin, name), `#!/bin/sh\n: > ${join(home, `started-${name}`)}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project, env: { HOME: home } })
  git('init', '-q', '.')
  git('add', 'a.txt')
  git('commit', '-qm', 'first')
  writeFileSync(join(project, 'a.txt'), 'two\n')
  const start = async () => {
    const terminal = interactive.start([], { variables: { PATH: [bin, process.env.PATH].join(delimiter) } })
    await terminal.waitFor('Do you trust')
    terminal.type('2')
    await terminal.waitFor('asks before changes')
    return terminal
  }
  const started = () => [...PROGRAMS, 'filter'].filter((name) => existsSync(join(home, `started-${name}`)))
  return { start, started, git, home }
}

test('completing a file name runs no program of an untrusted project', async () => {
  const { start, started } = await openUntrusted()
  const terminal = await start()

  terminal.type('@a.t')
  await terminal.waitFor('@a.txt')

  expect(started()).toEqual([])
})

test('/diff runs no program of an untrusted project', async () => {
  const { start, started } = await openUntrusted()
  const terminal = await start()

  terminal.type('/diff\r')
  await terminal.waitFor('+two')

  expect(started()).toEqual([])
})

test('/diff refuses to run a filter that an untrusted repository configures', async () => {
  const { start, started, git, home } = await openUntrusted()
  git('config', 'filter.x.clean', `: > ${join(home, 'started-filter')}; cat`)
  git('config', 'core.attributesFile', '../home/attributes')
  writeFileSync(join(home, 'attributes'), '*.txt filter=x\n')
  const terminal = await start()

  terminal.type('/diff\r')
  await terminal.waitFor('filter.x.clean')

  expect(started()).toEqual([])
})

test('the external editor is never a program of the project', async () => {
  const { start, started } = await openUntrusted()
  const terminal = await start()

  terminal.type('\u0007')
  await terminal.waitFor(/~|failed|prompt is unchanged/)

  expect(started()).toEqual([])
})
