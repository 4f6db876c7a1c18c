import { setImmediate } from 'node:timers/promises'
import { changedAt } from './changed-at.js'

/** Looked at in one go; then others have their turn. */
const BATCH = 2_000

/** Orders files by when they were changed, then by path. What is gone meanwhile comes last. */
export async function newestFirst<T extends { readonly place: string | Buffer; readonly shown: string }>(
  files: readonly T[],
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const dated: { readonly file: T; readonly mtimeMs: number }[] = []
  for (let start = 0; start < files.length; start += BATCH) {
    if (start > 0) await setImmediate()
    signal?.throwIfAborted()
    for (const file of files.slice(start, start + BATCH)) {
      dated.push({ file, mtimeMs: changedAt(file.place) })
    }
  }
  dated.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.file.shown < b.file.shown ? -1 : 1))
  return dated.map(({ file }) => file)
}
