import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const MAX_LINKS = 40

/** What this machine's file system says about paths, whether or not anything is there yet. */
export function nodePathFacts(platform: string = process.platform) {
  const isCaseInsensitive = platform === 'win32' || platform === 'darwin'
  return {
    async look(path: string) {
      const realPath = await resolveLinks(path, MAX_LINKS)
      return { realPath, isFolder: await isFolder(realPath), isCaseInsensitive }
    },
  }
}

/** The path with its links resolved as far as it exists; a link that leads nowhere counts as where it leads. */
async function resolveLinks(path: string, linksLeft: number): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || linksLeft === 0) throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const entry = await lstat(path).catch(() => undefined)
  if (entry?.isSymbolicLink())
    return resolveLinks(resolve(await resolveLinks(parent, linksLeft - 1), await readlink(path)), linksLeft - 1)
  return join(await resolveLinks(parent, linksLeft), basename(path))
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
