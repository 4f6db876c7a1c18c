import { chmod, lstat, readdir, stat, symlink, utimes } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../../contract/tool/tool.js'
import { touchOf } from '../../permissions/facts/call-touch.js'
import { callTool } from '../../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../../testing/files/temporary-files.js'
import { ApplyPatchTool } from './tool.js'

const addMarkers = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`
const apply = (t: TemporaryFiles, body: string) => callTool(ApplyPatchTool, { patch: addMarkers(body) }, t)

const ALL_CHANGES = `*** Update File: a.txt
 one
-two
+zwei
*** Add File: new/b.txt
+fresh
*** Update File: c.txt
*** Move to: moved/c.txt
-three
+drei
*** Delete File: d.txt`

async function writeFourFiles() {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\r\ntwo\r\n')
  await t.putAndRead('c.txt', 'three\n')
  await t.putAndRead('d.txt', 'four\n')
  await chmod(t.toPath('c.txt'), 0o755)
  return t
}

async function readTree(t: TemporaryFiles): Promise<Record<string, string>> {
  const entries = await readdir(t.cwd, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`)
  const tree: Record<string, string> = {}
  for (const name of names.map((each) => each.slice(t.cwd.length + 1)).sort()) tree[name] = await t.readText(name)
  return tree
}

test('one patch can add, update, move and delete files', async () => {
  const t = await writeFourFiles()

  expect(await apply(t, ALL_CHANGES)).toBe(`Changed ${t.toPath('a.txt')}, line 2.
Created ${t.toPath('new/b.txt')}.
Changed ${t.toPath('c.txt')}, now ${t.toPath('moved/c.txt')}, line 1.
Deleted ${t.toPath('d.txt')}.`)
  expect(await readTree(t)).toEqual({ 'a.txt': 'one\r\nzwei\r\n', 'moved/c.txt': 'drei\n', 'new/b.txt': 'fresh\n' })
  expect((await stat(t.toPath('moved/c.txt'))).mode & 0o777).toBe(0o755)
})

test('written files count as read afterwards, but deleted files do not', async () => {
  const t = await writeFourFiles()
  await apply(t, ALL_CHANGES)

  await apply(t, '*** Update File: moved/c.txt\n-drei\n+trois\n*** Update File: new/b.txt\n-fresh\n+stale')

  expect(await t.readText('moved/c.txt')).toBe('trois\n')
  expect([...t.files.readFileState.entries()].map(([path]) => path).sort()).toEqual(
    ['a.txt', 'moved/c.txt', 'new/b.txt'].map(t.toPath),
  )
})

describe('a failure in the last file leaves the others untouched', () => {
  test.each([
    [
      'lines that are not there',
      '*** Update File: e.txt\n-nothing like it\n+x',
      /Chunk 1 of the patch was not found in/,
    ],
    [
      'lines that are there twice',
      '*** Update File: e.txt\n-twice\n+x',
      /matches 2 places in .*: lines 1, 3.*"@@ LINE"/,
    ],
    ['an anchor that is not there', '*** Update File: e.txt\n@@ nowhere\n-once\n+x', /the line after "@@"/],
    ['a file that exists', '*** Add File: e.txt\n+x', /already exists: use '\*\*\* Update File:'/],
    ['a file that does not exist', '*** Delete File: f.txt', /does not exist/],
    ['a file that was never read', '*** Update File: unread.txt\n-x\n+y', /has not been read yet/],
    ['a target that exists', '*** Update File: e.txt\n*** Move to: unread.txt\n-once\n+x', /unread\.txt/],
    ['a link', '*** Delete File: link.txt', /is a symbolic link/],
    ['the same file by another name', '*** Delete File: ./a.txt', /twice/],
  ])('if the failure is caused by %s', async (_, section, message) => {
    const t = await writeFourFiles()
    await t.putAndRead('e.txt', 'twice\nonce\ntwice\n')
    await t.put('unread.txt', 'x\n')
    await symlink('e.txt', t.toPath('link.txt'))
    const treeBefore = await readTree(t)

    await expect(apply(t, `${ALL_CHANGES}\n${section}`)).rejects.toThrow(message)

    expect(await readTree(t)).toEqual(treeBefore)
    expect((await lstat(t.toPath('link.txt'))).isSymbolicLink()).toBe(true)
  })

  test('if the failure is caused by a file that changes while the patch is applied', async () => {
    const t = await writeFourFiles()
    const files = {
      ...t.files,
      async writeAll(...args: Parameters<typeof t.files.writeAll>) {
        await t.put('d.txt', 'by another program\n')
        return t.files.writeAll(...args)
      },
    }
    await expect(callTool(ApplyPatchTool, { patch: addMarkers(ALL_CHANGES) }, { ...t, files })).rejects.toThrow(
      /changed in the meantime/,
    )
    expect(await readTree(t)).toEqual({
      'a.txt': 'one\r\ntwo\r\n',
      'c.txt': 'three\n',
      'd.txt': 'by another program\n',
    })
  })
})

describe('an invalid patch is refused before any file is read', () => {
  test.each([
    ['is truncated', '*** Begin Patch\n*** Delete File: a.txt', /may be truncated.*Nothing was changed/],
    [
      'has a placeholder instead of code',
      addMarkers('*** Update File: a.txt\n one\n-two\n+// ... existing code ...'),
      /would delete that code/,
    ],
  ])('if it %s', async (_, patch, message) => {
    const t = await writeFourFiles()
    await expect(callTool(ApplyPatchTool, { patch }, t)).rejects.toMatchObject({
      code: 'input_refused',
      message: expect.stringMatching(message),
    })
  })
})

test('a file that changed after the part that was read is not deleted', async () => {
  const t = await createTemporaryFiles()
  await t.put('a.txt', 'one\ntwo\n')
  await t.markFirstLineRead('a.txt')
  await t.put('a.txt', 'one\ntwo\nby the user\n')
  await utimes(t.toPath('a.txt'), 1, 1)

  await expect(apply(t, '*** Delete File: a.txt')).rejects.toThrow(/has been changed since/)
  expect(await t.readText('a.txt')).toBe('one\ntwo\nby the user\n')
})

test('a unified diff is accepted', async () => {
  const t = await writeFourFiles()
  await callTool(ApplyPatchTool, { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n' }, t)
  expect(await t.readText('a.txt')).toBe('one\r\nzwei\r\n')
})

test('the result says if a looser strategy found the lines', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', '    one\n    two\n')
  expect(await apply(t, '*** Update File: a.txt\n one\n-two\n+zwei')).toContain('if indentation is ignored')
  expect(await t.readText('a.txt')).toBe('    one\n    zwei\n')
})

test('ApplyPatch declares every file of the patch, and is not destructive if it only adds files', () => {
  const all = ['a.txt', 'new/b.txt', 'c.txt', 'moved/c.txt', 'd.txt'].map((path) => ({ path }))
  expect(ApplyPatchTool.resources({ patch: addMarkers(ALL_CHANGES) })).toEqual({ reads: all, writes: all })
  const traits = { isReadOnly: false, runsCommand: false }
  expect(touchOf(ApplyPatchTool as Tool, { patch: addMarkers(ALL_CHANGES) }, traits)).toMatchObject({ isExact: true })
  expect(touchOf(ApplyPatchTool as Tool, { patch: 'cut' }, traits).problem).toBeDefined()
  expect(ApplyPatchTool.isDestructive({ patch: addMarkers(ALL_CHANGES) })).toBe(true)
  expect(ApplyPatchTool.isDestructive({ patch: addMarkers('*** Add File: a\n+x') })).toBe(false)
  expect(() => ApplyPatchTool.resources({ patch: 'cut' })).toThrow()
})
