import { type BigIntStats, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JudgedPaths } from '../../contract/judged-paths.js'
import { toPathBytes } from '../../shared/path-bytes.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { createMovedError } from '../paths/opened-path.js'

/**
 * Throws if a path of the command leads elsewhere than when permission was decided. A path can still change while the command
 * runs; then only the sandbox restricts what it reaches.
 */
export async function requireJudgedPaths(judgedPaths: JudgedPaths | undefined): Promise<void> {
  for (const [path, { realPath }] of judgedPaths ?? [])
    if ((await resolveLinks(path)) !== realPath) throw createMovedError(path)
}

/**
 * Notes what the paths of a command without a sandbox lead to. The returned function throws if one was exchanged meanwhile,
 * because then the output may be that of another file. An exchange by a program that also writes to the file, or to the folder
 * that it exchanges, is not noticed.
 */
export function watchJudgedPaths(judgedPaths: JudgedPaths | undefined): () => Promise<void> {
  const paths = [...(judgedPaths ?? [])].flatMap(([path, { realPath }]) => [path, ...listWithFoldersAbove(realPath)])
  const entries = [...new Set(paths)].map(noteEntry)
  return async () => {
    await requireJudgedPaths(judgedPaths)
    for (const entry of entries) if (wasExchanged(entry)) throw createMovedError(entry.path)
  }
}

interface NotedEntry {
  readonly path: string
  readonly stats: BigIntStats | undefined
  /** Whether nothing may appear in it, because a file that the command names was missing there. */
  readonly isFolderOfMissing: boolean
}

function noteEntry(path: string): NotedEntry {
  const stats = lookAt(path)
  if (stats !== undefined || dirname(path) === path) return { path, stats, isFolderOfMissing: false }
  return { ...noteEntry(dirname(path)), isFolderOfMissing: true }
}

/** Renaming an entry changes its ctime. Writing to it, or creating something in a folder, changes its mtime as well. */
function wasExchanged({ path, stats: before, isFolderOfMissing }: NotedEntry): boolean {
  const after = lookAt(path)
  if (before === undefined || after === undefined) return before !== after
  if (before.dev !== after.dev || before.ino !== after.ino) return true
  return before.ctimeNs !== after.ctimeNs && (isFolderOfMissing || before.mtimeNs === after.mtimeNs)
}

function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(toPathBytes(path), { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function listWithFoldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path ? [] : [...listWithFoldersAbove(folder), path]
}
