import { basename, join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'

/** Where all checkpoints of a user are, a folder for each project. */
export function checkpointsRoot(homeDir: string): string {
  return join(homeDir, '.haft', 'checkpoints')
}

/** Where the checkpoints of a project are kept: with the user, not with the project. */
export function checkpointsFolder(homeDir: string, projectRoot: string): string {
  const name = basename(projectRoot).replace(/[^\w.-]/g, '_')
  return join(checkpointsRoot(homeDir), `${name}-${contentHash(Buffer.from(projectRoot)).slice(0, 16)}`)
}
