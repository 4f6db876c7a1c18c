import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../shared/is-record.js'
import { withFileLock } from '../file-lock.js'
import { formatIdentity, hasEnded } from '../processes/process-identity.js'
import { readRegularText } from '../read-regular-file.js'
import { writeFileAtomically } from '../write-file-atomically.js'
import { makeRealFolder, type Repository, type Worktree, WorktreeError } from './worktree-repository.js'

/**
 * A creation or removal of a worktree that has begun. It is written before the first change and deleted after the last, so
 * it is found only if the process was killed in between, or is still at work, or if a worktree that must not be used stayed.
 */
export interface UnfinishedChange {
  /** `checking`: somebody is asked whether the new worktree may be used. `refused`: it may not, or there was no answer. */
  readonly kind: (typeof KINDS)[number]
  /** The commit of the new worktree, or the one that is checked out in the removed worktree. */
  readonly commit: string
  /** The process that began it. */
  readonly process: string
}

const KINDS = ['creating', 'checking', 'refused', 'removing'] as const
const MAX_RECORD_BYTES = 64 * 1024

function recordsFolderOf({ sharedGitFolder }: Repository): string {
  return join(sharedGitFolder, 'haft-worktrees')
}

function recordOf({ repository, name }: Worktree): string {
  return join(recordsFolderOf(repository), `${name}.json`)
}

/**
 * Runs one change of a repository's worktrees at a time, across processes: git fails instead of waiting if another git
 * process holds a lock.
 */
export async function withWorktreeLock<T>(repository: Repository, change: () => Promise<T>): Promise<T> {
  const folder = recordsFolderOf(repository)
  await makeRealFolder(folder)
  return withFileLock(join(folder, 'change'), change)
}

/** Returns the change that was not finished. Throws if another process is still at work. */
export function findUnfinishedChange(worktree: Worktree): UnfinishedChange | undefined {
  const file = recordOf(worktree)
  const readResult = readRegularText(file, { maxBytes: MAX_RECORD_BYTES, followsLinks: false })
  if (readResult.kind === 'absent') return undefined
  const change = readResult.kind === 'found' ? parseChange(readResult.content) : undefined
  if (change === undefined) throw new WorktreeError(`${file} cannot be read. Delete it if no other Haft is running`)
  const isAtWork = change.kind !== 'refused' && change.process !== formatIdentity() && !hasEnded(change.process)
  if (isAtWork) throw new WorktreeError(`another Haft process is ${change.kind} the worktree ${worktree.name}`)
  return change
}

/** Whether a change of the worktree has begun and is not finished. */
export function hasUnfinishedChange(worktree: Worktree): boolean {
  return existsSync(recordOf(worktree))
}

export async function recordChange(worktree: Worktree, change: Omit<UnfinishedChange, 'process'>): Promise<void> {
  await writeFileAtomically(recordOf(worktree), JSON.stringify({ ...change, process: formatIdentity() }))
}

export async function forgetChange(worktree: Worktree): Promise<void> {
  await rm(recordOf(worktree), { force: true })
}

function parseChange(text: string): UnfinishedChange | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return undefined
    const { commit, process } = value
    const kind = KINDS.find((known) => known === value.kind)
    if (kind === undefined) return undefined
    if (typeof commit !== 'string' || !/^[0-9a-f]{40,64}$/.test(commit) || typeof process !== 'string') return undefined
    return { kind, commit, process }
  } catch {
    // Not JSON: the caller reports the file.
    return undefined
  }
}
