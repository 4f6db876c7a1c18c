import { type BigIntStats, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JudgedPaths } from '../../contract/judged-paths.js'
import { createPacer } from '../../shared/for-each-in-slices.js'
import { toPathBytes } from '../../shared/path-bytes.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { createMovedError } from '../paths/opened-path.js'

/**
 * Throws if a path of the command leads elsewhere than when permission was decided. A path can still change while the command
 * runs; then only the sandbox restricts what it reaches.
 */
export async function requireJudgedPaths(judgedPaths: JudgedPaths | undefined): Promise<void> {
  const pauseIfDue = createPacer()
  for (const [path, { realPath }] of judgedPaths ?? []) {
    if ((await resolveLinks(path)) !== realPath) throw createMovedError(path)
    await pauseIfDue()
  }
}

/**
 * Records where the paths of a command without a sandbox lead. The returned function throws if one has been replaced,
 * because then the output may come from another file. A replacement by a program that also writes to the file, or to the
 * folder that it replaces, is not detected.
 */
export function watchJudgedPaths(judgedPaths: JudgedPaths | undefined): () => Promise<void> {
  const paths = [...(judgedPaths ?? [])].flatMap(([path, { realPath }]) => [path, ...listPathWithAncestors(realPath)])
  const entries = [...new Set(paths)].map(recordEntry)
  return async () => {
    await requireJudgedPaths(judgedPaths)
    for (const entry of entries) if (wasReplaced(entry)) throw createMovedError(entry.path)
  }
}

interface RecordedEntry {
  readonly path: string
  readonly stats: BigIntStats | undefined
  /** Whether a file that the command names was missing in this folder, so that nothing may be created in it. */
  readonly hadMissingFile: boolean
}

function recordEntry(path: string): RecordedEntry {
  const stats = lookAt(path)
  if (stats !== undefined || dirname(path) === path) return { path, stats, hadMissingFile: false }
  return { ...recordEntry(dirname(path)), hadMissingFile: true }
}

/**
 * Whether an entry was replaced. Renaming it changes its ctime; writing to it, or creating something in a folder, also changes
 * its mtime.
 */
function wasReplaced({ path, stats: before, hadMissingFile }: RecordedEntry): boolean {
  const after = lookAt(path)
  if (before === undefined || after === undefined) return before !== after
  if (before.dev !== after.dev || before.ino !== after.ino) return true
  return before.ctimeNs !== after.ctimeNs && (hadMissingFile || before.mtimeNs === after.mtimeNs)
}

function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(toPathBytes(path), { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function listPathWithAncestors(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path ? [] : [...listPathWithAncestors(folder), path]
}
