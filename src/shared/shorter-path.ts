import { relative } from 'node:path'

/** An absolute path as it counts from a folder, where it lies below it: the shortest form that still leads there. */
export function shorterPath(path: string, folder: string): string {
  const short = relative(folder, path)
  return short === '' || short === '..' || short.startsWith('../') ? path : short
}
