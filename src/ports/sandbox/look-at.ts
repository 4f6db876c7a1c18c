import { lstatSync, type Stats } from 'node:fs'

/** Returns the stats of a path without following links; undefined if it is missing or not accessible. */
export function lookAt(path: string): Stats | undefined {
  try {
    // Most paths are missing, and creating an error takes longer than the lookup.
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
