import { join } from 'node:path'
import type { FilesPort } from '../../contract/ports/files.js'
import { createFiles } from '../../ports/files/create-files.js'
import { contentHash } from '../../shared/content-hash.js'
import { createToolFiles, type LinkedTree } from './linked-tree.js'

/** Recreates the tree for an agent that has read all of its files. */
export async function knownTree(tree: LinkedTree): Promise<FilesPort> {
  tree.reset()
  createToolFiles(tree.root)
  const files = createFiles({ journalFolder: join(tree.root, '../journal') })
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt', 'hard.txt', 'sub/hard.txt', 'book.ipynb']) {
    const { realPath, content, stat } = await files.read(join(tree.root, name))
    files.readFileState.set(realPath, { contentHash: contentHash(content), mtimeMs: stat.mtimeMs })
  }
  return files
}
