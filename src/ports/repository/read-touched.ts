import { join } from 'node:path'
import { type AttributeRule, ruleCovers } from '../../shell/git/attribute-rules.js'
import type { KnownPaths } from '../../shell/git/repository-facts.js'
import type { FoundRepository } from './find-repository.js'
import type { IndexEntry } from './git-index.js'
import type { FileStat, WatchedFiles } from './watched-files.js'

const MAX_FILES = 2_000
const SECOND = 1_000_000_000n

/** Filtered files whose content git must read to compare them: the index does not tell by time and size alone. */
export async function readTouched(
  files: WatchedFiles,
  { root, gitFolder }: FoundRepository,
  entries: readonly IndexEntry[],
  attributes: readonly AttributeRule[] | 'unknown',
): Promise<KnownPaths> {
  const index = await files.stat(join(gitFolder, 'index'))
  if (root === null || attributes === 'unknown' || index === null) return 'unknown'
  const rules = attributes.filter(({ attribute }) => attribute === 'filter')
  const filtered = entries.filter(({ path }) => rules.some((rule) => ruleCovers(rule, path)))
  if (filtered.length > MAX_FILES) return 'unknown'
  const touched: string[] = []
  for (const entry of filtered) {
    const stat = await files.lstat(join(root, entry.path))
    if (stat?.isFile === true && mustBeRead(entry, stat, index.mtimeNs / SECOND)) touched.push(entry.path)
  }
  return touched
}

function mustBeRead(entry: IndexEntry, stat: FileStat, indexSeconds: bigint): boolean {
  if (entry.isMarked) return true
  const isOtherSize = BigInt(entry.size) !== BigInt.asUintN(32, stat.size)
  // Another size is a change, whatever the content; a size of zero is how git marks what it cannot rely upon.
  if (isOtherSize) return entry.size === 0
  const isSame =
    isTime(entry.mtime, stat.mtimeNs) &&
    isTime(entry.ctime, stat.ctimeNs) &&
    BigInt(entry.ino) === BigInt.asUintN(32, stat.ino)
  // A file as young as the index may have changed within the same tick of the clock.
  const isRacy = indexSeconds <= BigInt(entry.mtime[0])
  return !isSame || isRacy
}

function isTime([seconds, nanoseconds]: readonly [number, number], time: bigint): boolean {
  return BigInt(seconds) === time / SECOND && BigInt(nanoseconds) === time % SECOND
}
