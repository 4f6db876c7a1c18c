import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { createFiles } from '../../ports/files/create-files.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { createNotebook } from './file-calls.js'

/** A small folder in which most files have several names. It is removed after the tests of the test file. */
export interface LinkedTree {
  readonly root: string
  /** Every name that calls should cover: files, folders, links and missing files. */
  readonly names: readonly string[]
  reset(): void
}

export function createLinkedTree(): LinkedTree {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-tree-')))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  return { root, names: [...FILE_NAMES, join(root, 'a.txt')], reset: () => createTree(root) }
}

const FILE_NAMES = [
  ...['a.txt', './a.txt', 'b.txt', 'sub/../b.txt', 'sub/c.txt', 'sub/new.txt', 'link.txt', 'chain.txt', 'dangling.txt'],
  ...['there', 'linked/c.txt', 'linked/new.txt', 'linked', 'moved', 'moved/c.txt', 'sub', 'LINK', '.'],
]

function createTree(root: string): void {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'sub'), { recursive: true })
  writeFileSync(join(root, 'a.txt'), 'one a')
  writeFileSync(join(root, 'b.txt'), 'two b')
  writeFileSync(join(root, 'sub', 'c.txt'), 'three c')
  symlinkSync('a.txt', join(root, 'link.txt'))
  symlinkSync('link.txt', join(root, 'chain.txt'))
  symlinkSync('there', join(root, 'dangling.txt'))
  symlinkSync('sub', join(root, 'linked'))
}

/** Creates the files that only the real tools handle: notebooks, and files with hard links. */
export function createToolFiles(root: string): void {
  writeFileSync(join(root, 'book.ipynb'), createNotebook('one'))
  symlinkSync('../book.ipynb', join(root, 'sub', 'book.ipynb'))
  writeFileSync(join(root, 'hard.txt'), 'one hard')
  linkSync(join(root, 'hard.txt'), join(root, 'sub', 'hard.txt'))
}

/** Returns everything below a path: the content of files and the targets of links, by name. */
export function readContents(path: string): unknown {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  if (!entry.isDirectory()) return readFileSync(path, 'utf8')
  return Object.fromEntries(readdirSync(path).map((name) => [name, readContents(join(path, name))]))
}

export interface TreeOutcome {
  readonly results: readonly ToolResultBlock[]
  readonly files: unknown
}

/** Runs the calls in one message or each in its own message, and returns their results and the files afterwards. */
export async function runCallsInTree(
  calls: readonly Pick<ToolUseBlock, 'name' | 'input'>[],
  mode: 'in parallel' | 'serially',
  { root }: LinkedTree,
  runtime: HaftRuntime,
): Promise<TreeOutcome> {
  const blocks = calls.map((call, index): ToolUseBlock => ({ type: 'tool_use', id: `call-${index}`, ...call }))
  const messages = mode === 'in parallel' ? [blocks] : blocks.map((block) => [block])
  const results: ToolResultBlock[] = []
  for (const message of messages) results.push(...(await runtime.run(message).results))
  await runtime.dispose()
  return { results, files: readContents(root) }
}

/** Recreates the tree and returns a files port through which all of its files count as read. */
export async function resetAndReadTree(tree: LinkedTree): Promise<FilesPort> {
  tree.reset()
  createToolFiles(tree.root)
  const files = createFiles({ journalFolder: join(tree.root, '../journal') })
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt', 'hard.txt', 'sub/hard.txt', 'book.ipynb']) {
    const { realPath, content, stat } = await files.read(join(tree.root, name))
    files.readFileState.set(realPath, { contentHash: computeContentHash(content), mtimeMs: stat.mtimeMs })
  }
  return files
}
