import { readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { ignoresCase } from '../../shared/path-containment.js'
import { isNetworkShare } from '../../shared/path-problem.js'
import { createLinkBudget, type LinkBudget, splitLinkTarget } from './link-steps.js'

/**
 * A unique name for a file with several paths: links are resolved as far as the path exists, and case is folded where
 * it does not matter. It is used for scheduling before a call is approved, so network shares are not accessed.
 */
export function identifyPath(path: string, platform: string = process.platform): string {
  const name = isNetworkShare(path) ? path : resolveRealName(path, createLinkBudget())
  return ignoresCase(platform) ? name.toLowerCase() : name
}

/** A name that all hard links to a file share, because a write through one changes all of them. Undefined if there is only one. */
export function hardLinkName(path: string): string | undefined {
  if (isNetworkShare(path)) return undefined
  try {
    const entry = statSync(pathBytes(path), { bigint: true })
    const { nlink, dev, ino } = entry
    return nlink > 1n && entry.isFile() ? `hard-link:${dev}-${ino}` : undefined
  } catch {
    // Missing or not accessible: there is no inode to compare.
    return undefined
  }
}

function resolveRealName(path: string, budget: LinkBudget): string {
  try {
    return pathText(realpathSync.native(pathBytes(path), 'buffer'))
  } catch {
    // Missing or not accessible: the path of its folder may still contain links.
    const parent = dirname(path)
    if (parent === path) return path
    const folder = resolveRealName(parent, budget)
    const entry = join(folder, basename(path))
    const target = linkTarget(entry)
    if (target === undefined || budget.linksLeft-- <= 0) return entry
    const { from, names } = splitLinkTarget(folder, target)
    return names.reduce((at, name) => resolveRealName(join(at, name), budget), resolveRealName(from, budget))
  }
}

/** The target of a broken link: writing through it creates the file there. */
function linkTarget(path: string): string | undefined {
  try {
    return pathText(readlinkSync(pathBytes(path), 'buffer'))
  } catch {
    return undefined
  }
}
