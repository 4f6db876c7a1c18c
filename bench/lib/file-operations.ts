import { entryHolds } from '../../src/contract/entry-holds.js'
import { createCheckpoints } from '../../src/ports/checkpoints/create-checkpoints.js'
import { createFiles } from '../../src/ports/files/create-files.js'
import { createSearch } from '../../src/ports/search/create-search.js'

/** What the bench measures, all in one place: what a tool call does, by the ports. */
export function fileOperations(folder: string) {
  const files = createFiles({ journalFolder: `${folder}/journal` })
  const search = createSearch()
  const checkpoints = createCheckpoints({ folder: `${folder}/checkpoints`, session: 'bench' })
  const edit = async (path: string, from: string, to: string) => {
    const { content, realPath } = await files.read(path)
    const entry = files.readFileState.get(realPath)
    if (entry !== undefined && !entryHolds(entry, content)) throw new Error(`${path} was changed meanwhile.`)
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
    const at = bytes.indexOf(from)
    const changed = Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + from.length)])
    const { contentHash, mtimeMs } = await files.write(path, changed, { expected: { content }, realPath })
    files.readFileState.set(realPath, { contentHash, mtimeMs })
  }
  return {
    grep: (tree: string, pattern: string, output: 'files' | 'content' | 'count') =>
      search.search({ pattern, path: tree, cwd: tree, output, limit: 250 }),
    glob: (tree: string, pattern: string) => files.glob(tree, pattern),
    readLines: (path: string, offset: number, limit: number) =>
      files.readLines(path, { offset, limit, maxBytes: 256 * 1024, maxLineBytes: 2_000 }),
    edit,
    async editKept(path: string, from: string, to: string, toolUseId: string) {
      await checkpoints.save(toolUseId, [path])
      await edit(path, from, to)
      await checkpoints.settle(toolUseId)
    },
    close: () => checkpoints.close(),
  }
}
