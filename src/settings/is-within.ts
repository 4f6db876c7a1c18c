import { isAbsolute, relative, sep } from 'node:path'

/** True if a path is the folder or lies inside it. Both must be absolute and resolved. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}
