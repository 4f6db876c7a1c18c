import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** The path with every link on the way resolved; what does not exist yet is kept as written. */
export async function realPath(path: string): Promise<string> {
  const absolute = resolve(path)
  try {
    return await realpath(absolute)
  } catch {
    // Not there, or not to be seen: the part above it can still be resolved.
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(await realPath(parent), basename(absolute))
  }
}
