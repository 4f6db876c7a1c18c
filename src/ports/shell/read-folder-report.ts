import { fstatSync, readSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'

/** More than the longest path. */
const MOST_BYTES = 16 * 1024

/** The last folder that a command told, where it told one that is there; else the one in which it began. */
export function readFolderReport(descriptor: number, before: string): string {
  try {
    const { size } = fstatSync(descriptor)
    const start = Math.max(0, size - MOST_BYTES)
    const bytes = Buffer.alloc(size - start)
    const length = readSync(descriptor, bytes, 0, bytes.length, start)
    // Each report ends with a line end and NUL; one that was cut off in writing has none.
    const [, told] = bytes.toString('utf8', 0, length).match(/(?:^|.*\n\0)([^\0]*)\n\0[^\0]*$/s) ?? []
    return told !== undefined && isAbsolute(told) && statSync(told).isDirectory() ? told : before
  } catch {
    // It removed the folder, or what it told is no path.
    return before
  }
}
