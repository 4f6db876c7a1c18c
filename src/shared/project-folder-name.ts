import { basename } from 'node:path'
import { computeContentHash } from './content-hash.js'

/** Returns the name of a project's folder among Haft's own files: readable, and unique for the path of the project. */
export function toProjectFolderName(projectRoot: string): string {
  const name = basename(projectRoot)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60)
  return `${name}-${computeContentHash(Buffer.from(projectRoot)).slice(0, 16)}`
}
