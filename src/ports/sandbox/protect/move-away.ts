import { randomUUID } from 'node:crypto'
import { renameSync } from 'node:fs'
import { basename } from 'node:path'
import { lookAt } from '../look-at.js'

/** Renames a file or folder that git must not find, and returns its new name. Never replaces another entry. */
export function moveAway(path: string): string {
  const preferredPath = `${path}.disabled`
  const newPath = lookAt(preferredPath) === undefined ? preferredPath : `${preferredPath}-${randomUUID()}`
  renameSync(path, newPath)
  return basename(newPath)
}
