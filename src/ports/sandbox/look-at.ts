import { lstatSync, type Stats } from 'node:fs'

/** What stands at a path, a link not followed; undefined for nothing, and for what nobody here could reach. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
