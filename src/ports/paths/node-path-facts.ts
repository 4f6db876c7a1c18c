import { realpathSync, statSync } from 'node:fs'
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { ignoresCase } from '../../shared/path-containment.js'
import { isNetworkShare } from '../../shared/path-problem.js'
import { createLinkBudget, type LinkBudget, type LinkSteps, splitLinkTarget } from './link-steps.js'

/** Looks up facts about paths in the file system; the paths need not exist. */
export function createNodePathFacts(platform: string = process.platform) {
  const isCaseInsensitive = ignoresCase(platform)
  return {
    async look(path: string) {
      const realPath = await resolveLinks(path)
      return { realPath, isFolder: await isFolder(realPath), isCaseInsensitive }
    },
  }
}

/** Resolves links as far as the path exists. A broken link counts as its target. */
export async function resolveLinks(path: string, budget: LinkBudget = createLinkBudget()): Promise<string> {
  try {
    return pathText(await realPathOf(path))
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const folder = await resolveLinks(parent, budget)
  const entry = join(folder, basename(path))
  if (!(await isLink(entry))) return entry
  if (budget.linksLeft-- <= 0) throw new Error(`ELOOP: too many symbolic links encountered, realpath '${path}'`)
  return followSteps(splitLinkTarget(folder, pathText(await readlink(pathBytes(entry), 'buffer'))), budget)
}

async function followSteps({ from, names }: LinkSteps, budget: LinkBudget): Promise<string> {
  let at = await resolveLinks(from, budget)
  for (const name of names) at = await resolveLinks(join(at, name), budget)
  return at
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(pathBytes(path))).isSymbolicLink()
  } catch (error) {
    if (isAbsence(error)) return false
    throw error
  }
}

/** ENOTDIR means absence too: `cp a b` may write `b/a`, which cannot exist if `b` is a file. */
function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Synchronous, because a thread pool round trip takes longer and the path was accessed just before. */
function realPathOf(path: string): MaybePromise<Buffer> {
  const name = pathBytes(path)
  return isNetworkShare(path) ? realpath(name, 'buffer') : realpathSync.native(name, 'buffer')
}

async function isFolder(path: string): Promise<boolean> {
  const name = pathBytes(path)
  try {
    return (isNetworkShare(path) ? await stat(name) : statSync(name)).isDirectory()
  } catch {
    return false
  }
}
