import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Resolves every link in a path. The part that does not exist yet stays as written. */
export async function resolveLinks(path: string): Promise<string> {
  const absolutePath = resolve(path)
  try {
    return await realpath(absolutePath)
  } catch {
    // The path does not exist or is not readable. Its parent can still be resolved.
    const parent = dirname(absolutePath)
    return parent === absolutePath ? absolutePath : join(await resolveLinks(parent), basename(absolutePath))
  }
}
