import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from './make-folder.js'

test('makeFolder creates a folder and its parents, accessible only to their owner', () => {
  const top = mkdtempSync(join(tmpdir(), 'haft-make-'))
  onTestFinished(() => rmSync(top, { recursive: true }))

  makeFolder(join(top, 'a', 'b'))
  makeFolder(join(top, 'a', 'b'))

  expect(statSync(join(top, 'a')).mode & 0o777).toBe(0o700)
  expect(statSync(join(top, 'a', 'b')).mode & 0o777).toBe(0o700)
})

test.runIf(process.platform === 'linux')(
  'makeFolder fails in /proc, where the `recursive` option of Node loops forever',
  () => {
    expect(() => makeFolder('/proc/none/.haft')).toThrow('/proc/none')
  },
)
