import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FilesPort } from '../../contract/ports/files.js'
import { createFiles } from '../../ports/files/create-files.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { callTool } from '../../testing/call-tool.js'
import { NotebookEditTool } from './tool.js'

const NOTEBOOK = JSON.stringify(
  {
    cells: [
      { cell_type: 'code', execution_count: 1, id: 'a', metadata: {}, outputs: [{}], source: ['x = "ä"\n', 'y'] },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  },
  null,
  1,
)
const CHANGED_NOTEBOOK = NOTEBOOK.replace('"x = \\"ä\\"\\n",\n    "y"', '"ü"')
  .replace('"execution_count": 1', '"execution_count": null')
  .replace(/"outputs": \[\n {4}\{\}\n {3}\]/, '"outputs": []')

let cwd: string
let path: string
let files: FilesPort

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'haft-notebook-'))
  path = join(cwd, 'a.ipynb')
  files = createFiles({ journalFolder: join(cwd, 'journal') })
  await put(NOTEBOOK)
})

afterEach(() => rm(cwd, { recursive: true }))

/** Writes the notebook and records it as read. */
async function put(content: string | Uint8Array): Promise<void> {
  await writeFile(path, content)
  const bytes = await readFile(path)
  files.readFileState.set(path, { contentHash: computeContentHash(bytes), mtimeMs: (await stat(path)).mtimeMs })
}

const edit = (input: object) =>
  callTool(NotebookEditTool, { notebook_path: 'a.ipynb', new_source: 'ü', ...input }, { files, cwd })

test('an edit replaces the source of a cell, and another edit can follow', async () => {
  await chmod(path, 0o640)
  expect(await edit({ cell_id: 'a' })).toBe(`Replaced the code cell a of ${path}.`)
  expect(await readFile(path, 'utf8')).toBe(CHANGED_NOTEBOOK)
  expect((await stat(path)).mode & 0o777).toBe(0o640)
  await edit({ cell_id: 'a', edit_mode: 'delete', new_source: '' })
  expect(JSON.parse(await readFile(path, 'utf8')).cells).toEqual([])
})

test('an edit inserts a cell with a new id and returns the id', async () => {
  const [, id] = /cell (\w{8}) of/.exec(await edit({ edit_mode: 'insert', cell_type: 'markdown' })) ?? []
  expect(JSON.parse(await readFile(path, 'utf8')).cells[0]).toEqual({
    cell_type: 'markdown',
    id,
    metadata: {},
    source: ['ü'],
  })
})

test.each([
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['Latin-1', (text: string) => Buffer.from(text, 'latin1')],
  ['a newline at the end', (text: string) => Buffer.from(`${text}\n`)],
])('an edit keeps %s', async (_, encode) => {
  await put(encode(NOTEBOOK))
  await edit({ cell_id: 'a' })
  expect(await readFile(path)).toEqual(encode(CHANGED_NOTEBOOK))
})

describe('NotebookEdit changes nothing', () => {
  afterEach(async () => expect(JSON.parse(await readFile(path, 'utf8')).cells).toHaveLength(1))

  test('if the notebook was not read', async () => {
    files.readFileState.delete(path)
    await expect(edit({ cell_id: 'a' })).rejects.toThrow('has not been read yet. Read it before')
  })

  test('if the notebook has changed since it was read', async () => {
    await writeFile(path, `${NOTEBOOK} `)
    await expect(edit({ cell_id: 'a' })).rejects.toThrow('has been changed since you read it')
  })

  test.each([
    [{ cell_id: 'a', new_source: '# ... existing code ...' }, 'instead of code'],
    [{ cell_id: 'b' }, 'Unknown cell id "b". Cells: a.'],
    [{ notebook_path: 'a.py', cell_id: 'a' }, 'Use Edit for other files'],
    [{ notebook_path: 'b.ipynb', cell_id: 'a' }, 'b.ipynb'],
    [{ notebook_path: '//server/a.ipynb', cell_id: 'a' }, 'network share'],
    [{}, 'replace needs cell_id'],
    [{ edit_mode: 'delete' }, 'delete needs cell_id'],
    [{ edit_mode: 'insert' }, 'insert needs cell_type'],
  ])('for the input %j', async (input, message) => {
    await expect(edit(input)).rejects.toThrow(message)
  })
})

test('NotebookEdit declares what it writes, runs alone, and leaves permission to the rules', () => {
  const input = { notebook_path: 'a.ipynb', new_source: '' }
  expect(NotebookEditTool.resources(input)).toEqual({ reads: [{ path: 'a.ipynb' }], writes: [{ path: 'a.ipynb' }] })
  expect(NotebookEditTool.getPath(input)).toBe('a.ipynb')
  expect([NotebookEditTool.isReadOnly(), NotebookEditTool.isConcurrencySafe()]).toEqual([false, false])
  expect(NotebookEditTool.checkPermissions()).toEqual({ behavior: 'passthrough' })
})
