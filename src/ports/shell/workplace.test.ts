import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeAll } from './close-all.js'
import { type CommandFiles, Workplace } from './workplace.js'

let programs: string
let workplace: Workplace
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'haft-workplace-'))
  workplace = new Workplace()
})
afterEach(async () => {
  await workplace.remove()
  vi.unstubAllEnvs()
  rmSync(programs, { recursive: true })
})

/** Puts a program in the place of the one that makes pipes. */
function makePipesBy(script: string): void {
  const path = join(programs, 'mkfifo')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  vi.stubEnv('PATH', `${programs}:${process.env.PATH}`)
}

const close = ({ readEnd, writeEnd, command, folder }: CommandFiles) => closeAll(readEnd, writeEnd, command, folder)

test('a pipe is taken as soon as it is there, before anybody tells that all are made', async () => {
  const gate = join(programs, 'gate')
  execFileSync('mkfifo', [gate])
  makePipesBy(`PATH=\${PATH#*:} mkfifo "$@" && read -r line < ${gate}`)
  workplace.prepare()
  while (readdirSync(workplace.folder()).length < 16) await setImmediate()

  close(await workplace.open('text'))
  close(await workplace.open())
  // Only now does the program end.
  closeSync(openSync(gate, 'w'))
  close(await workplace.open('text'))
})

test('where no pipe can be made, the next command tries again', async () => {
  makePipesBy('exit 1')
  await expect(workplace.open('text')).rejects.toThrow('No pipe could be made for the output: `mkfifo` failed.')
  vi.unstubAllEnvs()
  close(await workplace.open('text'))
})

test('a folder that somebody took away is made again', async () => {
  for (let time = 0; time < 2; time++) {
    const folder = workplace.folder()
    rmSync(folder, { recursive: true })
    close(await workplace.open())
    expect(existsSync(folder)).toBe(false)
  }
})
