import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** One name for a file that may be reached by several: links resolved as far as the path exists, letter case folded where it means nothing. */
export function identifyPath(path: string, platform: string = process.platform): string {
  const real = realName(path)
  return platform === 'win32' || platform === 'darwin' ? real.toLowerCase() : real
}

function realName(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // Not there yet, or not ours to see: its folder may still have another name.
    const parent = dirname(path)
    return parent === path ? path : join(realName(parent), basename(path))
  }
}
