import { join } from 'node:path'
import type { KnownPaths } from '../../shell/git/repository-facts.js'
import type { FoundRepository } from './find-repository.js'
import type { IndexEntry } from './git-index.js'
import { readLooseObject } from './loose-objects.js'
import type { WatchedFiles } from './watched-files.js'

const MAX_TREES = 2_000
const MAX_LINKS = 5
const FOLDER_MODE = 0o40000

/** The paths that differ between HEAD and the index, as far as HEAD lies in loose objects. */
export async function readStaged(
  files: WatchedFiles,
  repository: FoundRepository,
  entries: readonly IndexEntry[],
): Promise<KnownPaths> {
  const { commonFolder } = repository
  // Replacements make other objects out of those that are named.
  if ((await files.stat(join(commonFolder, 'refs', 'replace'))) !== null) return 'unknown'
  const commit = await headCommit(files, repository)
  if (commit === null) return 'unknown'
  const head = await readLooseObject(files, join(commonFolder, 'objects'), commit)
  const tree = head?.type === 'commit' ? /^tree ([0-9a-f]{40})\n/.exec(head.content.toString('latin1'))?.[1] : undefined
  if (tree === undefined) return 'unknown'
  const committed = new Map<string, string>()
  const isWhole = await readTree(
    { files, objects: join(commonFolder, 'objects'), committed, left: MAX_TREES },
    tree,
    '',
  )
  return isWhole ? differences(committed, entries) : 'unknown'
}

function differences(committed: ReadonlyMap<string, string>, entries: readonly IndexEntry[]): KnownPaths {
  const gone = new Map(committed)
  const staged: string[] = []
  for (const { path, mode, object } of entries) {
    if (mode === FOLDER_MODE) return 'unknown'
    if (gone.get(path) !== identity(mode, object)) staged.push(path)
    gone.delete(path)
  }
  return [...staged, ...gone.keys()]
}

interface TreeWalk {
  readonly files: WatchedFiles
  readonly objects: string
  readonly committed: Map<string, string>
  left: number
}

async function readTree(walk: TreeWalk, name: string, folder: string): Promise<boolean> {
  walk.left -= 1
  const tree = walk.left < 0 ? null : await readLooseObject(walk.files, walk.objects, name)
  if (tree?.type !== 'tree') return false
  let at = 0
  while (at < tree.content.length) {
    const zero = tree.content.indexOf(0, at)
    const match = /^(\d+) (.+)$/s.exec(tree.content.toString('utf8', at, Math.max(zero, at)))
    if (match?.[1] === undefined || match[2] === undefined) return false
    const mode = Number.parseInt(match[1], 8)
    const object = tree.content.toString('hex', zero + 1, zero + 21)
    if (mode !== FOLDER_MODE) walk.committed.set(folder + match[2], identity(mode, object))
    else if (!(await readTree(walk, object, `${folder}${match[2]}/`))) return false
    at = zero + 21
  }
  return true
}

async function headCommit(files: WatchedFiles, { gitFolder, commonFolder }: FoundRepository): Promise<string | null> {
  let path = join(gitFolder, 'HEAD')
  let reference = ''
  for (let link = 0; link < MAX_LINKS; link += 1) {
    const found = await files.readText(path)
    if (found.is !== 'found') return found.is === 'absent' ? packedReference(files, commonFolder, reference) : null
    const content = found.content.trim()
    if (/^[0-9a-f]{40}$/.test(content)) return content
    reference = /^ref:\s*(refs\/[^\s]+)$/.exec(content)?.[1] ?? ''
    if (reference === '' || reference.includes('..')) return null
    path = join(commonFolder, reference)
  }
  return null
}

async function packedReference(files: WatchedFiles, commonFolder: string, reference: string): Promise<string | null> {
  const found = await files.readText(join(commonFolder, 'packed-refs'), 16 * 1024 * 1024)
  if (found.is !== 'found') return null
  const line = found.content.split('\n').find((text) => text.endsWith(` ${reference}`))
  return line === undefined ? null : line.slice(0, 40)
}

function identity(mode: number, object: string): string {
  return `${mode.toString(8)} ${object}`
}
