import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { createTemporaryFiles, type TemporaryFiles } from '../../testing/files/temporary-files.js'
import { MultiEditTool } from './tool.js'

const change = (old_string: string, new_string: string, options: object = {}) => ({
  old_string,
  new_string,
  ...options,
})
const multiEdit = (t: TemporaryFiles, ...edits: object[]) => callTool(MultiEditTool, { file_path: 'a.txt', edits }, t)

test('each edit applies to the result of the edit before, and the result says which lines are new', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\ntwo\nthree\n')

  expect(await multiEdit(t, change('one', 'eins'), change('eins\ntwo', 'eins\nzwei'), change('three', 'drei'))).toBe(
    `Changed ${t.toPath('a.txt')} in 3 places, lines 1-3.`,
  )
  expect(await t.readText('a.txt')).toBe('eins\nzwei\ndrei\n')
})

test('if one edit has no match, none is applied', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\ntwo\n')

  await expect(multiEdit(t, change('one', 'eins'), change('three', 'drei'))).rejects.toThrow(
    /old_string of edit 2 was not found/,
  )
  expect(await t.readText('a.txt')).toBe('one\ntwo\n')
})

test('the error names the invalid edit', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'one\ntwo\n')
  await expect(multiEdit(t, change('one', 'eins'), change('x', 'x'))).rejects.toThrow(/^Edit 2: .* are identical/)
  await expect(multiEdit(t, change('one', 'eins'), change('', 'x'))).rejects.toThrow(/^Edit 2: old_string is empty/)
  await expect(multiEdit(t, change('two', '// ... existing code ...'))).rejects.toThrow(
    /^Edit 1: .*would delete that code/,
  )
  expect(await t.readText('a.txt')).toBe('one\ntwo\n')
})

test('replace_all changes every match', async () => {
  const t = await createTemporaryFiles()
  await t.putAndRead('a.txt', 'x x\r\ny\r\n')
  await multiEdit(t, change('x', 'z', { replace_all: true }), change('y', 'y\ny'))
  expect(await t.readText('a.txt')).toBe('z z\r\ny\r\ny\r\n')
})

test('an empty old_string in the first edit creates the file', async () => {
  const t = await createTemporaryFiles()
  expect(await multiEdit(t, change('', 'one\n'), change('one', 'two'))).toBe(`Created ${t.toPath('a.txt')}.`)
  expect(await t.readText('a.txt')).toBe('two\n')
})

test('no file is created if a later edit has no match', async () => {
  const t = await createTemporaryFiles()
  await expect(multiEdit(t, change('', 'one\n'), change('two', 'x'))).rejects.toThrow(/edit|not found/)
  expect(await readdir(t.cwd)).toEqual([])
})

test('a file that was not read is not changed', async () => {
  const t = await createTemporaryFiles()
  await t.put('a.txt', 'one')
  await expect(multiEdit(t, change('one', 'two'))).rejects.toThrow(/has not been read yet/)
})

test('MultiEdit declares that it reads and writes the file in its input', () => {
  expect(MultiEditTool.resources({ file_path: 'a', edits: [] })).toEqual({
    reads: [{ path: 'a' }],
    writes: [{ path: 'a' }],
  })
})
