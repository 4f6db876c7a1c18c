import { chmod, mkdir, rmdir, symlink, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { pathBytes } from '../../shared/path-bytes.js'
import { TemporaryFileCleaner } from '../files/change/folder-place.js'
import { writeFile } from '../files/change/write-file.js'
import { hasCode } from '../files/file-failure.js'
import { movedError } from '../files/read/open-regular.js'
import type { BlobStore } from './blob-store.js'
import { type EntryState, type EntryStates, isReal, takeState } from './entry-state.js'

/**
 * Restores these states. First removes obstructing entries, innermost first; then creates everything, outermost first.
 */
export async function applyStates(goal: EntryStates, blobs: BlobStore): Promise<void> {
  // A folder sorts before its content.
  const parentsFirst = Object.keys(goal).sort(compareCodeUnits)
  const childrenFirst = [...parentsFirst].reverse()
  for (const path of childrenFirst) await removeObstacle(path, goalState(goal, path))
  for (const path of parentsFirst) await createEntry(path, goalState(goal, path), blobs)
  for (const path of childrenFirst) {
    const state = goalState(goal, path)
    // Last, because a restored folder may be read-only.
    if (state.kind === 'folder') await chmod(pathBytes(path), state.mode)
  }
}

function goalState(goal: EntryStates, path: string): EntryState {
  return goal[path] ?? { kind: 'absent' }
}

async function removeObstacle(path: string, state: EntryState): Promise<void> {
  const now = await takeState(path)
  if (now.kind === 'absent' || now.kind === state.kind) return
  if (now.kind !== 'folder') return unlink(pathBytes(path))
  try {
    await rmdir(pathBytes(path))
  } catch (error) {
    // Another program has put its own files into the folder.
    if (state.kind !== 'absent' || !hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

async function createEntry(path: string, state: EntryState, blobs: BlobStore): Promise<void> {
  if (state.kind === 'absent' || state.kind === 'lost') return
  const now = await takeState(path)
  // The path now leads through a link: the entry would be created elsewhere.
  if (state.kind !== 'file' && !isReal(dirname(path))) throw movedError(path)
  if (state.kind === 'folder') {
    if (now.kind === 'absent') await mkdir(pathBytes(path), { mode: 0o700 })
  } else if (state.kind === 'link') {
    if (now.kind === 'link') await unlink(pathBytes(path))
    await symlink(pathBytes(state.target), pathBytes(path))
  } else {
    await createFile(path, state, now, blobs)
  }
}

async function createFile(
  path: string,
  { hash, mode }: EntryState & { readonly kind: 'file' },
  now: EntryState,
  blobs: BlobStore,
): Promise<void> {
  if (now.kind === 'file' && now.hash === hash) return chmod(pathBytes(path), mode)
  const content = await blobs.get(hash)
  if (content === undefined) throw new Error(`The stored content of ${path} is missing or damaged.`)
  const expected = now.kind === 'file' ? { contentHash: now.hash } : 'absent'
  await writeFile(path, content, { mode, expected, realPath: path }, new TemporaryFileCleaner())
}

export interface Conflict {
  readonly path: string
  readonly reason: string
}

/** Nothing was restored, because changes by other programs would have been lost or stored content is missing. */
export class RewindError extends Error {
  override readonly name = 'RewindError'

  constructor(
    readonly conflicts: readonly Conflict[],
    message = conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; '),
  ) {
    super(message)
  }
}
