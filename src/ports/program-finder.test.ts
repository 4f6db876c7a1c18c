import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { programFinder } from './program-finder.js'

const folder = mkdtempSync(join(tmpdir(), 'haft-programs-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('finds what can be started, and nothing else', () => {
  writeFileSync(join(folder, 'pwsh'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'notes'), '', { mode: 0o644 })
  writeFileSync(join(folder, 'tool.exe'), '', { mode: 0o755 })
  mkdirSync(join(folder, 'sub'))
  const find = programFinder({ PATH: ['/nowhere', folder].join(delimiter) }, 'linux')

  expect(['pwsh', 'notes', 'sub', 'missing', 'tool'].map(find)).toEqual([true, false, false, false, false])
  expect(programFinder({ Path: folder }, 'win32')('tool')).toBe(true)
  expect(programFinder({})('pwsh')).toBe(false)
})
