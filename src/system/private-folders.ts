import { mkdtempSync, realpathSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatIdentity, hasEnded } from './processes/process-identity.js'

/** The owner of a private folder, which is part of the name of the folder. */
export type FolderPurpose = 'shell' | 'sandbox' | 'browser' | 'lsp'

const PRIVATE_FOLDER_NAME = /^haft-(?:shell|sandbox|browser|lsp)-([0-9a-f]{8}-\d+-\d+)-\w{6}$/
const sweptParents = new Set<string>()

/**
 * Creates a private temporary folder whose name contains the identity of this process. The first one in a parent folder also
 * removes the folders of processes that ended without removing them, as after a power failure.
 */
export function makePrivateTemporaryFolder(parent: string, purpose: FolderPurpose): string {
  const realParent = realpathSync(parent)
  if (!sweptParents.has(realParent)) {
    sweptParents.add(realParent)
    void removeAbandonedFolders(realParent)
  }
  return mkdtempSync(join(realParent, `haft-${purpose}-${formatIdentity()}-`))
}

/** Removes the folders of processes that have ended. Never rejects. Links, files and folders of other users are kept. */
export async function removeAbandonedFolders(parent: string): Promise<void> {
  try {
    const entries = await readdir(parent)
    for (const name of entries.filter(isAbandoned)) {
      const path = join(parent, name)
      const stats = await lstat(path)
      if (stats.isDirectory() && stats.uid === process.getuid?.()) await rm(path, { recursive: true, force: true })
    }
  } catch {
    // The folder cannot be read, or another process removed an entry first.
  }
}

function isAbandoned(name: string): boolean {
  const owner = PRIVATE_FOLDER_NAME.exec(name)?.[1]
  return owner !== undefined && hasEnded(owner)
}
