import { readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { isNetworkShare } from '../../shared/path-problem.js'
import type { CaseProbe } from './case-probe.js'
import { createLinkBudget, type LinkBudget, splitLinkTarget } from './link-steps.js'

/**
 * Returns one name for all paths of a file: links are resolved as far as the path exists, and case is folded where it does not
 * matter. Scheduling uses it before a call is approved, so network shares are not accessed.
 */
export function identifyPath(path: string, caseProbe: CaseProbe): string {
  const name = isNetworkShare(path) ? path : resolveRealName(path, createLinkBudget())
  return caseProbe.ignoresCaseIn(name) ? name.toLowerCase() : name
}

/**
 * Returns a name that all hard links to a file share, because a write through one of them changes all. Undefined if there is
 * only one.
 */
export function findHardLinkName(path: string): string | undefined {
  if (isNetworkShare(path)) return undefined
  try {
    const entry = statSync(toPathBytes(path), { bigint: true })
    const { nlink, dev, ino } = entry
    return nlink > 1n && entry.isFile() ? `hard-link:${dev}-${ino}` : undefined
  } catch {
    // The file is missing or not accessible, so there is no inode to compare.
    return undefined
  }
}

function resolveRealName(path: string, budget: LinkBudget): string {
  try {
    return toPathText(realpathSync.native(toPathBytes(path), 'buffer'))
  } catch {
    // The path is missing or not accessible, but its parent may still contain links.
    const parent = dirname(path)
    if (parent === path) return path
    const folder = resolveRealName(parent, budget)
    const entry = join(folder, basename(path))
    const target = findLinkTarget(entry)
    if (target === undefined || budget.linksLeft-- <= 0) return entry
    const { from, names } = splitLinkTarget(folder, target)
    return names.reduce((at, name) => resolveRealName(join(at, name), budget), resolveRealName(from, budget))
  }
}

/** Returns the target of a broken link. Writing through the link creates the file there. */
function findLinkTarget(path: string): string | undefined {
  try {
    return toPathText(readlinkSync(toPathBytes(path), 'buffer'))
  } catch {
    return undefined
  }
}
