import { link, readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { callTool } from '../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../testing/files/temporary-files.js'
import { ApplyPatchTool } from './apply-patch/tool.js'
import { EditTool } from './edit/tool.js'
import { WriteTool } from './write/tool.js'

const file_path = 'a.txt'

const FILE_CHANGES: readonly (readonly [string, (t: TemporaryFiles) => Promise<string>])[] = [
  ['Edit', (t) => callTool(EditTool, { file_path, old_string: 'old', new_string: 'new' }, t)],
  ['Write', (t) => callTool(WriteTool, { file_path, content: 'new\n' }, t)],
  [
    'ApplyPatch',
    (t) => callTool(ApplyPatchTool, { patch: '*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch' }, t),
  ],
]

test.each(FILE_CHANGES)('%s reports that other hard links keep the old content', async (_, change) => {
  const t = await createTemporaryFiles()
  await t.putAndRead(file_path, 'old\n')
  await link(t.toPath(file_path), t.toPath('b.txt'))
  await link(t.toPath(file_path), t.toPath('c.txt'))

  const text = await change(t)

  expect(text).toContain('a.txt was one of 3 hard links to one file: the other 2 names keep the old content.')
  expect(await t.readText(file_path)).toBe('new\n')
  expect(await readFile(t.toPath('b.txt'), 'utf8')).toBe('old\n')
  expect((await stat(t.toPath('b.txt'))).nlink).toBe(2)
})

test.each(FILE_CHANGES)('%s reports nothing for a file with one name', async (_, change) => {
  const t = await createTemporaryFiles()
  await t.putAndRead(file_path, 'old\n')

  expect(await change(t)).not.toContain('hard link')
})
