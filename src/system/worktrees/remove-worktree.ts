import { existsSync } from 'node:fs'
import { mkdtemp, rename, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { runGit } from '../run-git.js'
import { findModuleFolders, inspectWorktree, type WorktreeContents } from './inspect-worktree.js'
import { deleteBranchIfSaved, type KeptCommits, keepCommits, readTip, runAdminGit } from './keep-commits.js'
import { findUnfinishedChange, forgetChange, recordChange, withWorktreeLock } from './unfinished-change.js'
import { deleteKnownFiles, showPath, TreeChangedError } from './worktree-files.js'
import { findAdminFolder, makeRealFolder, type Worktree, WorktreeError } from './worktree-repository.js'

export interface RemoveOptions {
  /** Whether a worktree with unsaved work is moved to another folder instead of being kept. */
  readonly setsAside?: boolean
  /** Keeps the worktree if it has commits other than this one. */
  readonly expectedCommit?: string
  /** Called before unsaved work is looked for, so that it can delete what can be made again. Returns why to keep the worktree. */
  readonly findObjection?: ((worktree: Worktree) => Promise<string | undefined>) | undefined
}

/** What became of a worktree. */
export type RemovalResult =
  | {
      readonly kind: 'kept'
      /** Why it must not be removed now, even without its work. */
      readonly obstacles: readonly string[]
      /** Work that exists only there. */
      readonly unsavedWork: readonly string[]
    }
  | ({
      readonly kind: 'removed'
      /** The folder with everything that was in the worktree; undefined if that was also in its commits. */
      readonly savedFolder?: string
    } & KeptCommits)

/** A folder for worktrees that were removed with unsaved work. Names of worktrees do not begin with a dot. */
const REMOVED_FOLDER = '.removed'

/**
 * Removes a worktree, and its branch if that has no commits of its own. Nothing is lost: unsaved work keeps the worktree or is
 * moved with it, and commits stay reachable. If in doubt, the worktree stays. Can be repeated after an interruption.
 */
export async function removeWorktree(worktree: Worktree, options: RemoveOptions = {}): Promise<RemovalResult> {
  const { findObjection } = options
  if (findObjection !== undefined) {
    // Without the lock, because the answer may take long. Everything is inspected again below.
    const adminFolder = findAdminFolder(worktree)
    const inspection =
      adminFolder === undefined
        ? undefined
        : await inspectForRemoval(worktree, adminFolder, { ...options, setsAside: true })
    if (inspection?.kept !== undefined) return inspection.kept
    const objection = await findObjection(worktree)
    if (objection !== undefined) return { kind: 'kept', obstacles: [objection], unsavedWork: [] }
  }
  return withWorktreeLock(worktree.repository, async () => {
    const adminFolder = findAdminFolder(worktree)
    if (adminFolder === undefined) return finishRemoval(worktree)
    const { contents, kept } = await inspectForRemoval(worktree, adminFolder, options)
    if (kept !== undefined) return kept
    const setsAside = contents.unsavedWork.length > 0
    const { refs } = await keepCommits(worktree, adminFolder, { savesIndex: setsAside })
    const isRefused = findUnfinishedChange(worktree)?.kind === 'refused'
    await recordChange(worktree, { kind: 'removing', commit: worktree.repository.commit })
    if (!setsAside) return deleteWorktree(worktree, contents, { refs, isRefused })
    const savedFolder = await setAside(worktree, adminFolder)
    return { ...(await finishRemoval(worktree, refs)), savedFolder }
  })
}

/** Reads what is in the worktree. `kept` is set if it must not be removed. */
async function inspectForRemoval(
  worktree: Worktree,
  adminFolder: string,
  options: RemoveOptions,
): Promise<{ readonly contents: WorktreeContents; readonly kept: RemovalResult | undefined }> {
  const ignoresDeletions = findUnfinishedChange(worktree)?.kind === 'removing'
  const contents = await inspectWorktree(worktree, adminFolder, { ignoresDeletions })
  const newCommits = await findNewCommits(worktree, adminFolder, options)
  const { obstacles, unsavedWork } = contents
  const mustKeep = unsavedWork.length > 0 && options.setsAside !== true
  if (obstacles.length === 0 && !mustKeep && newCommits.length === 0) return { contents, kept: undefined }
  return { contents, kept: { kind: 'kept', obstacles, unsavedWork: [...unsavedWork, ...newCommits] } }
}

async function findNewCommits(
  worktree: Worktree,
  adminFolder: string,
  { expectedCommit }: RemoveOptions,
): Promise<readonly string[]> {
  if (expectedCommit === undefined) return []
  const head = await runAdminGit(worktree, adminFolder, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  const tips = [head.stdout.trim(), await readTip(worktree)]
  return tips.every((tip) => tip === expectedCommit) ? [] : ['new commits']
}

async function deleteWorktree(
  worktree: Worktree,
  contents: WorktreeContents,
  { refs, isRefused }: { readonly refs: readonly string[]; readonly isRefused: boolean },
): Promise<RemovalResult> {
  const { path, repository } = worktree
  try {
    await deleteKnownFiles(contents)
  } catch (error) {
    // Brings the files back that were deleted so far, and overwrites none.
    for (const link of contents.gitLinks) await runGit(dirname(showPath(link)), ['checkout-index', '--all', '--quiet'])
    // A worktree that must not be used is not made usable by a removal that failed.
    if (isRefused) await recordChange(worktree, { kind: 'refused', commit: repository.commit })
    else await forgetChange(worktree)
    if (!(error instanceof TreeChangedError)) throw error
    return { kind: 'kept', obstacles: [`it changed while it was being removed: ${error.message}`], unsavedWork: [] }
  }
  // Only the state of this worktree: `git worktree prune` would also remove that of others whose disk is not mounted.
  const removal = await runGit(repository.root, ['worktree', 'remove', path])
  if (removal.exitCode !== 0) throw new WorktreeError(`git worktree remove failed: ${removal.error}`)
  return finishRemoval(worktree, refs)
}

/** Moves the folder, then the state that git keeps of it, which contains the commits of submodules. */
async function setAside(worktree: Worktree, adminFolder: string): Promise<string> {
  const { path, name, repository } = worktree
  const parent = join(repository.worktreesFolder, REMOVED_FOLDER)
  await makeRealFolder(parent)
  const savedFolder = await mkdtemp(join(parent, `${name}-${new Date().toISOString().slice(0, 10)}-`))
  if (existsSync(path)) await rename(path, join(savedFolder, 'files'))
  const savedGitFolder = await moveGitFolder(worktree, adminFolder, savedFolder)
  // The repositories of submodules name a working tree that no longer exists, and git would not read them.
  for (const folder of findModuleFolders(join(savedGitFolder, 'modules')))
    await runGit(savedFolder, ['config', '--file', join(folder, 'config'), '--unset-all', 'core.worktree'])
  // Git removes this folder with its last worktree, too.
  await rmdir(dirname(adminFolder)).catch(() => undefined)
  return savedFolder
}

async function moveGitFolder({ repository }: Worktree, adminFolder: string, savedFolder: string): Promise<string> {
  const target = join(savedFolder, 'git')
  try {
    await rename(adminFolder, target)
    return target
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // The repository is on another file system, so its part stays there.
    const parent = join(repository.sharedGitFolder, 'haft-worktrees', 'removed')
    await makeRealFolder(parent)
    const targetInRepository = join(parent, basename(savedFolder))
    await rename(adminFolder, targetInRepository)
    return targetInRepository
  }
}

/** Finishes a removal after which git no longer knows the worktree: only its branch is left. */
async function finishRemoval(
  worktree: Worktree,
  refs: readonly string[] = [],
): Promise<Extract<RemovalResult, { kind: 'removed' }>> {
  if (existsSync(worktree.path)) throw new WorktreeError(`${worktree.path} is not a worktree of this repository`)
  const isBranchDeleted = await deleteBranchIfSaved(worktree)
  await forgetChange(worktree)
  return { kind: 'removed', refs, ...(!isBranchDeleted && { branch: worktree.branch }) }
}
