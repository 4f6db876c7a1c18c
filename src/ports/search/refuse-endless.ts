import { realpath } from 'node:fs/promises'
import { SearchError } from '../../contract/ports/search.js'
import { isEndlessFile } from '../../shared/endless-file.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'

/** Folders with files that look like any other and wait for ever, or are memory. */
const ENDLESS_FOLDER = /^\/(?:proc|sys\/kernel)(?:\/|$)/

/** Refuses to search in the running system itself; a file of it that ends can be searched by its name. */
export async function refuseEndless(path: string, isFolder: boolean): Promise<void> {
  const real = pathText(await realpath(pathBytes(path), 'buffer'))
  if (!isEndlessFile(real) && !(isFolder && ENDLESS_FOLDER.test(real))) return
  throw new SearchError(
    `${path} is a device or a part of the running system: searching it could wait or go on for ever. Use a command that reads a bounded part of it, if it must be.`,
  )
}
