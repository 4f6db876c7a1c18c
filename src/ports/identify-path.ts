import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A share of another machine, or a device: looking at it alone can send credentials there. */
const NETWORK_SHARE = /^[\\/]{2}/

/**
 * One name for a file that may be reached by several: links resolved as far as the path exists, letter case folded where it
 * means nothing. Calls are placed by it before anybody approved them, so that a network share is taken by its text.
 */
export function identifyPath(path: string, platform: string = process.platform): string {
  const name = NETWORK_SHARE.test(path) ? path : realName(path)
  return platform === 'win32' || platform === 'darwin' ? name.toLowerCase() : name
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
