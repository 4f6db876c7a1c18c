import type { Stats } from 'node:fs'
import type { FileStat } from '../../contract/ports/files.js'

/** What the system says of a file, in the words of the port. */
export function fileStat(stats: Stats): FileStat {
  const { size, mtimeMs, mode } = stats
  return { kind: kindOf(stats), size, mtimeMs, mode: mode & 0o7777 }
}

function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}
