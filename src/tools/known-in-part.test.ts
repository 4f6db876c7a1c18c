import { utimes } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { callTool } from '../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../testing/files/temporary-files.js'
import { ApplyPatchTool } from './apply-patch/tool.js'
import { EditTool } from './edit/tool.js'
import { MultiEditTool } from './multi-edit/tool.js'
import { ReadTool } from './read/tool.js'
import { WriteTool } from './write/tool.js'

const ORIGINAL_TEXT = 'one\ntwo\nthree\n'
const CHANGED_BY_USER = 'one\ntwo\nby the user\n'
const file_path = 'a.txt'

const write = (t: TemporaryFiles) => callTool(WriteTool, { file_path, content: 'all new\n' }, t)
const readFirstLine = (t: TemporaryFiles) => callTool(ReadTool, { file_path, offset: 1, limit: 1 }, t)

async function changeAsUser(t: TemporaryFiles, content = CHANGED_BY_USER): Promise<void> {
  await t.put(file_path, content)
  await utimes(t.toPath(file_path), 1, 1)
}

const FILE_CHANGES: readonly (readonly [string, (t: TemporaryFiles) => Promise<string>])[] = [
  ['Edit', (t) => callTool(EditTool, { file_path, old_string: 'one', new_string: 'eins' }, t)],
  ['MultiEdit', (t) => callTool(MultiEditTool, { file_path, edits: [{ old_string: 'one', new_string: 'eins' }] }, t)],
  [
    'ApplyPatch',
    (t) =>
      callTool(ApplyPatchTool, { patch: '*** Begin Patch\n*** Update File: a.txt\n-one\n+eins\n*** End Patch' }, t),
  ],
]

test.each(FILE_CHANGES)(
  'after %s changed a part that was read, changes elsewhere are not overwritten',
  async (_, change) => {
    const t = await createTemporaryFiles()
    await t.put(file_path, ORIGINAL_TEXT)
    await readFirstLine(t)
    await changeAsUser(t)
    await change(t)

    await expect(write(t)).rejects.toThrow(
      /has been changed since you read it.*Read all of it, or change that part with Edit/,
    )
    expect(await t.readText(file_path)).toBe('eins\ntwo\nby the user\n')

    await callTool(EditTool, { file_path, old_string: 'eins', new_string: 'uno' }, t)
    await expect(write(t)).rejects.toThrow(/has been changed since/)
    await callTool(ReadTool, { file_path }, t)
    expect(await write(t)).toMatch(/^Replaced/)
  },
)

test.each(FILE_CHANGES)(
  'after %s changed a part that was read, an otherwise unchanged file can be replaced',
  async (_, change) => {
    const t = await createTemporaryFiles()
    await t.put(file_path, ORIGINAL_TEXT)
    await readFirstLine(t)
    await change(t)

    expect(await write(t)).toMatch(/^Replaced/)
  },
)

test.each(FILE_CHANGES)(
  'after %s changed a part that was read, a later change to that part is detected',
  async (_, change) => {
    const t = await createTemporaryFiles()
    await t.put(file_path, ORIGINAL_TEXT)
    await readFirstLine(t)
    await change(t)
    await changeAsUser(t, 'eins!\ntwo\nthree\n')

    await expect(callTool(EditTool, { file_path, old_string: 'two', new_string: 'x' }, t)).rejects.toThrow(
      /has been changed/,
    )
  },
)

test('reading a part again does not count as reading the whole file', async () => {
  const t = await createTemporaryFiles()
  await t.put(file_path, ORIGINAL_TEXT)
  await callTool(ReadTool, { file_path }, t)
  await changeAsUser(t)
  await readFirstLine(t)

  await expect(write(t)).rejects.toThrow(/has been changed since/)
  expect(await t.readText(file_path)).toBe(CHANGED_BY_USER)
})

test('after a formatter changed the file, only the part that was read counts as read', async () => {
  const t = await createTemporaryFiles({
    async aroundEdit(paths, edit) {
      const result = await edit()
      await t.put(file_path, (await t.readText(file_path)).replace('eins', '  eins  '))
      return { result, report: { notes: [], reformatted: paths } }
    },
  })
  await t.put(file_path, ORIGINAL_TEXT)
  await readFirstLine(t)
  await changeAsUser(t)
  const [, change] = FILE_CHANGES[0] ?? []
  await change?.(t)

  await expect(write(t)).rejects.toThrow(/has been changed since/)
  await callTool(EditTool, { file_path, old_string: '  eins  ', new_string: 'uno' }, t)
  expect(await t.readText(file_path)).toBe('uno\ntwo\nby the user\n')
})
