import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findProgram, findSystemProgram } from './find-program.js'

const folder = mkdtempSync(join(tmpdir(), 'haft-programs-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('findProgram finds only executable files', () => {
  writeFileSync(join(folder, 'pwsh'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'notes'), '', { mode: 0o644 })
  writeFileSync(join(folder, 'tool.exe'), '', { mode: 0o755 })
  mkdirSync(join(folder, 'sub'))
  const find = (name: string) => findProgram(name, { PATH: ['/nowhere', '', folder].join(delimiter) }, 'linux')

  expect(find('pwsh')).toBe(join(folder, 'pwsh'))
  expect(['notes', 'sub', 'missing', 'tool'].filter((name) => find(name) !== undefined)).toEqual([])
  expect(findProgram('tool', { Path: folder }, 'win32')).toBe(join(folder, 'tool.exe'))
  expect(findProgram('tool.exe', { Path: folder }, 'win32')).toBe(join(folder, 'tool.exe'))
  expect(findProgram('pwsh', {})).toBeUndefined()
})

test('a program in a folder that commands can write to is not found as a system program', () => {
  const writableFolder = join(folder, 'project')
  const trustedFolder = join(folder, 'trusted')
  for (const path of [writableFolder, trustedFolder]) mkdirSync(path)
  writeFileSync(join(writableFolder, 'haft-test-program'), '', { mode: 0o755 })
  const find = (searchPath: string, folders: readonly string[]) =>
    findSystemProgram('haft-test-program', { searchPath, writableFolders: folders })

  expect(find(`relative:${writableFolder}`, [])).toBe(join(writableFolder, 'haft-test-program'))
  expect(find(writableFolder, [writableFolder])).toBeUndefined()
  symlinkSync(join(writableFolder, 'haft-test-program'), join(trustedFolder, 'haft-test-program'))
  expect(find(trustedFolder, [writableFolder])).toBeUndefined()
  expect(find('project', [])).toBeUndefined()
})
