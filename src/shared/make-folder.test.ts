import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFolder } from './make-folder.js'

test('those above are made, too, for the user alone', () => {
  const top = mkdtempSync(join(tmpdir(), 'haft-make-'))
  onTestFinished(() => rmSync(top, { recursive: true }))

  makeFolder(join(top, 'a', 'b'), mkdirSync)
  makeFolder(join(top, 'a', 'b'), mkdirSync)

  expect(statSync(join(top, 'a')).mode & 0o777).toBe(0o700)
  expect(statSync(join(top, 'a', 'b')).mode & 0o777).toBe(0o700)
})

test('a place that says for ever that what is above is missing is given up', () => {
  // As in /proc: the folder above is there, and nothing can be made in it.
  const mkdir = vi.fn((path: string) => {
    throw Object.assign(new Error(path), { code: path === '/proc' ? 'EEXIST' : 'ENOENT' })
  })

  expect(() => makeFolder('/proc/none/.haft', mkdir)).toThrow('/proc/none')
  expect(mkdir.mock.calls.length).toBeLessThan(20)
})
