import { basename, join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'

/** Where the checkpoints of a project are kept: with the user, not with the project. */
export function checkpointsFolder(homeDir: string, projectRoot: string): string {
  const name = basename(projectRoot).replace(/[^\w.-]/g, '_')
  return join(homeDir, '.haft', 'checkpoints', `${name}-${contentHash(Buffer.from(projectRoot)).slice(0, 16)}`)
}
