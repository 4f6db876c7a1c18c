import { chmod, mkdir, rmdir, symlink, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { toPathBytes } from '../../shared/path-bytes.js'
import { changeMode } from '../files/change/change-entry.js'
import { openFolder, TemporaryFileCleaner } from '../files/change/open-folder.js'
import { writeFile } from '../files/change/write-file.js'
import { hasErrorCode, toFileError } from '../files/file-failure.js'
import type { BlobStore } from './blob-store.js'
import { captureState, type EntryState, type EntryStates } from './entry-state.js'

/**
 * Restores the given states. First removes obstructing entries, innermost first. Then creates everything, outermost first.
 * Finally sets the modes of folders, because a restored folder may be read-only.
 */
export async function applyStates(goal: EntryStates, blobs: BlobStore): Promise<void> {
  // In this order, a folder precedes its content.
  const pathsParentsFirst = Object.keys(goal).sort(compareCodeUnits)
  const pathsChildrenFirst = [...pathsParentsFirst].reverse()
  for (const path of pathsChildrenFirst) await removeObstacle(path, getGoalState(goal, path))
  for (const path of pathsParentsFirst) await createEntry(path, getGoalState(goal, path), blobs)
  for (const path of pathsChildrenFirst) {
    const state = getGoalState(goal, path)
    if (state.kind === 'folder') await changeFolderMode(path, state.mode)
  }
}

function getGoalState(goal: EntryStates, path: string): EntryState {
  return goal[path] ?? { kind: 'absent' }
}

async function removeObstacle(path: string, state: EntryState): Promise<void> {
  const currentState = await captureState(path)
  if (currentState.kind === 'absent' || currentState.kind === state.kind) return
  if (currentState.kind === 'lost') throw new Error(`${path} cannot be replaced: ${currentState.reason}.`)
  await inRealFolder(path, async (entryPath) => {
    if (currentState.kind !== 'folder') return unlink(entryPath)
    try {
      await rmdir(entryPath)
    } catch (error) {
      // A folder that should be absent stays if another program has put files into it.
      if (state.kind !== 'absent' || !hasErrorCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    }
  })
}

/** Calls a function with the path of an entry in its folder, which is kept open. Throws if the path leads through a link. */
async function inRealFolder(path: string, change: (entryPath: string | Buffer) => Promise<void>): Promise<void> {
  const folder = await openFolder(dirname(path), { shouldCreate: false })
  try {
    await change(folder.at(basename(path)))
  } catch (error) {
    // The system error names the descriptor instead of the path.
    throw toFileError(error, path)
  } finally {
    await folder.close()
  }
}

async function changeFolderMode(path: string, mode: number): Promise<void> {
  const folder = await openFolder(path, { shouldCreate: false })
  try {
    // An empty name is the folder itself. `.` would fail if the folder cannot be searched at the moment.
    await chmod(folder.at(''), mode)
  } finally {
    await folder.close()
  }
}

async function createEntry(path: string, state: EntryState, blobs: BlobStore): Promise<void> {
  if (state.kind === 'absent' || state.kind === 'lost') return
  const currentState = await captureState(path)
  if (state.kind === 'file') return createFile(path, state, currentState, blobs)
  await inRealFolder(path, async (entryPath) => {
    if (state.kind === 'folder') {
      if (currentState.kind === 'absent') await mkdir(entryPath, { mode: 0o700 })
    } else {
      if (currentState.kind === 'link') await unlink(entryPath)
      await symlink(toPathBytes(state.target), entryPath)
    }
  })
}

async function createFile(
  path: string,
  { hash, mode }: EntryState & { readonly kind: 'file' },
  currentState: EntryState,
  blobs: BlobStore,
): Promise<void> {
  if (currentState.kind === 'file' && currentState.hash === hash) return changeMode(path, mode, path)
  const content = await blobs.get(hash)
  if (content === undefined) throw new Error(`The stored content of ${path} is missing or damaged.`)
  const expected = currentState.kind === 'file' ? { contentHash: currentState.hash } : 'absent'
  await writeFile(path, content, { mode, expected, realPath: path }, new TemporaryFileCleaner())
}

export interface Conflict {
  readonly path: string
  readonly reason: string
}

/** Nothing was restored, because a change by another program would have been lost or stored content is missing. */
export class RewindError extends Error {
  override readonly name = 'RewindError'

  constructor(
    readonly conflicts: readonly Conflict[],
    message = conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; '),
  ) {
    super(message)
  }
}
