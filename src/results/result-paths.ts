import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { safeFileName } from './safe-file-name.js'

const RANDOM_TRIES = 3

/** The first path that a result of this id is written to. */
export function resultPath(directory: string, id: string): string {
  return join(resolve(directory), `${safeFileName(id)}.txt`)
}

/**
 * The paths for an id, in the order to try them: some providers use an id again and again, and no file is overwritten.
 * `digest` is of the text, where it is known: the same text then finds the same path.
 */
export function* resultPaths(directory: string, id: string, digest?: () => string): Generator<string> {
  yield resultPath(directory, id)
  const another = (mark: string) => join(resolve(directory), `${safeFileName(id)}-${mark}.txt`)
  if (digest !== undefined) yield another(digest())
  for (let tries = 0; tries < RANDOM_TRIES; tries++) yield another(randomBytes(8).toString('hex'))
}
