import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makePrivateTemporaryFolder, removeAbandonedFolders } from './private-folders.js'
import { formatIdentity, getOwnIdentity } from './processes/process-identity.js'

let parent: string
beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'haft-folders-')))
})
afterEach(() => rmSync(parent, { recursive: true }))

/** The identity of a process that has ended. */
function createEndedIdentity(): string {
  return formatIdentity({ ...getOwnIdentity(), pid: spawnSync('true').pid, start: '1' })
}

test.runIf(process.platform !== 'win32')('folders of ended processes are removed, and nothing else', async () => {
  const ownFolder = makePrivateTemporaryFolder(parent, 'shell')
  const abandonedFolder = join(parent, `haft-sandbox-${createEndedIdentity()}-abcdef`)
  mkdirSync(join(abandonedFolder, 'tmp'), { recursive: true })
  const target = join(parent, 'target')
  mkdirSync(target)
  writeFileSync(join(target, 'file'), '')
  const link = join(parent, `haft-shell-${createEndedIdentity()}-abcdef`)
  symlinkSync(target, link)
  const foreignFolder = join(parent, 'haft-shell-test')
  mkdirSync(foreignFolder)

  await removeAbandonedFolders(parent)

  expect(
    [ownFolder, abandonedFolder, join(target, 'file'), link, foreignFolder].map((path) => existsSync(path)),
  ).toEqual([true, false, true, true, true])
})
