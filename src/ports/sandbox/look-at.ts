import { lstatSync, type Stats } from 'node:fs'

/** The stats of a path, without following links; undefined if it is missing or not accessible. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
