import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const DEVICE_PATHS = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

/**
 * Restores the mode and the owner of changed devices and returns a description of each. The devices in the sandbox are those
 * of the machine, so a changed one would break all later programs.
 */
export function restoreDevices() {
  return DEVICE_PATHS.filter((path) => {
    const { mode, uid } = lstatSync(path)
    if ((mode & 0o777) === 0o666 && uid === 0) return false
    chownSync(path, 0, 0)
    chmodSync(path, 0o666)
    return true
  }).map((path) => `device ${path}`)
}

/**
 * Returns a hash of the names, kinds, modes and contents of everything in a folder.
 *
 * @param {string} folder
 */
export function hashFolder(folder) {
  const hash = createHash('sha256')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(compareByPath)) {
    const path = join(entry.parentPath, entry.name)
    const { mode } = lstatSync(path)
    hash.update(`${path}\0${mode}\0`)
    if (entry.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (entry.isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

/**
 * @param {import('node:fs').Dirent} a
 * @param {import('node:fs').Dirent} b
 */
function compareByPath(a, b) {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1
}
