import { randomUUID } from 'node:crypto'
import { renameSync } from 'node:fs'
import { basename } from 'node:path'
import { lookAt } from '../look-at.js'

/** Renames what git must not find, and returns the new name. A name that a command has taken is not used. */
export function moveAway(path: string): string {
  const wantedPath = `${path}.disabled`
  const newPath = lookAt(wantedPath) === undefined ? wantedPath : `${wantedPath}-${randomUUID()}`
  renameSync(path, newPath)
  return basename(newPath)
}
