import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CommandFileMaker, type CommandFiles, closeAll } from './command-files.js'

let programs: string
/** The folder in which `mkfifo` is searched instead of the folders of the system. */
const search = vi.hoisted(() => ({ path: undefined as string | undefined }))
vi.mock('../../system/find-program.js', async (importOriginal) => {
  const originalModule = await importOriginal<typeof import('../../system/find-program.js')>()
  return {
    ...originalModule,
    createSystemSearchPath: (path?: string) => search.path ?? originalModule.createSystemSearchPath(path),
  }
})

let maker: CommandFileMaker
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'haft-command-files-'))
  maker = new CommandFileMaker()
})
afterEach(async () => {
  await maker.remove()
  search.path = undefined
  rmSync(programs, { recursive: true })
})

/** Replaces the `mkfifo` program with a script. */
function replaceMkfifo(script: string): void {
  const path = join(programs, 'mkfifo')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  search.path = programs
}

const close = ({ readEnd, writeEnd, command, folder }: CommandFiles) => closeAll(readEnd, writeEnd, command, folder)

test('after a failure to create pipes, the next command creates them successfully', async () => {
  replaceMkfifo('exit 1')
  await expect(maker.open('text')).rejects.toThrow('No pipe could be made for the output: `mkfifo` failed.')
  search.path = undefined
  close(await maker.open('text'))
})

test('the folder for the files of commands is created again if it was removed', async () => {
  for (let time = 0; time < 2; time++) {
    const folder = maker.getFolder()
    rmSync(folder, { recursive: true })
    close(await maker.open())
    expect(existsSync(folder)).toBe(false)
  }
})
