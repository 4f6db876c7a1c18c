import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Resolves every link in a path. The part that does not exist yet stays as written. */
export async function resolveLinks(path: string): Promise<string> {
  const absolute = resolve(path)
  try {
    return await realpath(absolute)
  } catch {
    // Missing or not readable: the parent can still be resolved.
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(await resolveLinks(parent), basename(absolute))
  }
}
