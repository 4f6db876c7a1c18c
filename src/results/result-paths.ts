import { join, resolve } from 'node:path'
import { safeFileName } from './safe-file-name.js'

const MOST_FILES_OF_ONE_ID = 1_000

/** The first path that a result of this id is written to. */
export function resultPath(directory: string, id: string): string {
  return join(resolve(directory), `${safeFileName(id)}.txt`)
}

/** The paths for an id, in the order to try them: some providers use an id twice, and no file is ever overwritten. */
export function* resultPaths(directory: string, id: string): Generator<string> {
  yield resultPath(directory, id)
  const folder = resolve(directory)
  for (let use = 2; use <= MOST_FILES_OF_ONE_ID; use++) yield join(folder, `${safeFileName(id)}-${use}.txt`)
}
