import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { runGit } from '../run-git.js'
import { listChanged } from './inspect-worktree.js'
import { deleteBranchAt, deleteBranchIfSaved, readTip } from './keep-commits.js'
import { removeWorktree } from './remove-worktree.js'
import {
  findUnfinishedChange,
  forgetChange,
  hasUnfinishedChange,
  recordChange,
  type UnfinishedChange,
  withWorktreeLock,
} from './unfinished-change.js'
import {
  type BytePath,
  bytesOf,
  deleteKnownFiles,
  exists,
  type KnownFile,
  listTree,
  showPath,
  TreeChangedError,
  toBytePath,
} from './worktree-files.js'
import {
  findAdminFolder,
  findRepository,
  prepareWorktreesFolder,
  refuseFilters,
  toWorktree,
  type Worktree,
  WorktreeError,
} from './worktree-repository.js'

export interface CreateOptions {
  readonly signal: AbortSignal
  /** Whether to return an existing worktree with this name instead of failing. */
  readonly mayExist?: boolean
  /**
   * Called with a new worktree before anybody works in it. Returns why it must not be used; it is removed then. If it cannot
   * be removed, this is called again before it is returned as an existing one.
   */
  readonly findObjection?: ((worktree: Worktree) => Promise<string | undefined>) | undefined
}

export interface CreatedWorktree extends Worktree {
  readonly isNew: boolean
}

/** The names of worktrees: each is also the name of a folder and a part of a branch name. */
const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/

/** Returns why a name cannot be used; undefined if it can. */
export function findNameProblem(name: string): string | undefined {
  if (!NAME.test(name))
    return 'must have 1 to 64 letters, digits, "-", "_" or "." and may not begin with "-" or "." or end with "."'
  return name.includes('..') || /\.lock$/i.test(name) ? 'may not contain ".." or end with ".lock"' : undefined
}

/**
 * Creates a worktree of the last commit on its own branch, in a folder that git and searches in the project ignore. A
 * creation that was interrupted leaves nothing behind, or is undone by the next one with the same name.
 */
export async function createWorktree(
  cwd: string,
  name: string,
  { signal, mayExist = false, findObjection }: CreateOptions,
): Promise<CreatedWorktree> {
  const problem = findNameProblem(name)
  if (problem !== undefined) throw new WorktreeError(`the name ${JSON.stringify(name)} ${problem}`)
  const repository = await findRepository(cwd)
  const worktree = toWorktree(repository, name)
  await refuseFilters(repository.root)
  const { isNew, isAccepted } = await withWorktreeLock(repository, async () => {
    await prepareWorktreesFolder(repository)
    const unfinishedChange = findUnfinishedChange(worktree)
    if (unfinishedChange?.kind === 'creating') await undoCreation(worktree, unfinishedChange)
    // Only the branch of a removed worktree may be left.
    else if (unfinishedChange !== undefined && !existsSync(worktree.path) && findAdminFolder(worktree) === undefined) {
      await deleteBranchIfSaved(worktree)
      await forgetChange(worktree)
    }
    if (await isUsable(worktree, mayExist)) {
      if (unfinishedChange === undefined) return { isNew: false, isAccepted: true }
      if (unfinishedChange.kind === 'removing')
        throw new WorktreeError(`the removal of ${worktree.path} is not complete. Finish it, or choose another name`)
      // In the lock, so that two processes do not ask about the same worktree.
      await recordChange(worktree, { kind: 'checking', commit: repository.commit })
      return { isNew: false, isAccepted: false }
    }
    await recordChange(worktree, { kind: 'creating', commit: repository.commit })
    await addWorktree(worktree, signal)
    return { isNew: true, isAccepted: false }
  })
  if (isNew) await checkOut(worktree, signal)
  if (!isAccepted) await requireAcceptance(worktree, findObjection)
  return { ...worktree, isNew }
}

/** Asks whether a worktree may be used. Only then its record is deleted, so that the question cannot be avoided. */
async function requireAcceptance(worktree: Worktree, findObjection: CreateOptions['findObjection']): Promise<void> {
  if (findObjection !== undefined) {
    const { commit } = worktree.repository
    await recordChange(worktree, { kind: 'checking', commit })
    const refuse = () => recordChange(worktree, { kind: 'refused', commit })
    const objection = await findObjection(worktree).catch(async (error: unknown) => {
      await refuse()
      throw error
    })
    if (objection !== undefined) {
      await refuse()
      await withdraw(worktree, objection)
    }
  }
  await forgetChange(worktree)
}

/** Removes a worktree that must not be used, unless the one who objected left files there. */
async function withdraw(worktree: Worktree, objection: string): Promise<never> {
  const result = await removeWorktree(worktree)
  if (result.kind === 'removed') throw new WorktreeError(objection)
  const reasons = [...result.obstacles, ...result.unsavedWork].join('; ')
  throw new WorktreeError(`${objection}. The worktree ${worktree.path} was not removed: ${reasons}`)
}

/** Finds an existing worktree by its name. Throws if there is none, or if it is not complete. */
export async function findWorktree(cwd: string, name: string): Promise<Worktree> {
  const worktree = toWorktree(await findRepository(cwd), name)
  if (!existsSync(join(worktree.path, '.git')) || findAdminFolder(worktree) === undefined)
    throw new WorktreeError(`the worktree ${worktree.path} no longer exists`)
  if (hasUnfinishedChange(worktree)) throw new WorktreeError(`the worktree ${worktree.path} is not complete`)
  await refuseLinks(worktree)
  return worktree
}

async function isUsable(worktree: Worktree, mayExist: boolean): Promise<boolean> {
  const { path, branch, name } = worktree
  const isFolder = existsSync(path)
  if (!isFolder && findAdminFolder(worktree) !== undefined)
    throw new WorktreeError(
      `the folder of the worktree ${name} was deleted, but git still has its state. Choose another name`,
    )
  if (isFolder && findAdminFolder(worktree) === undefined)
    throw new WorktreeError(`${path} exists and is not a worktree of this repository. Choose another name`)
  if (isFolder && mayExist) {
    await refuseLinks(worktree)
    return true
  }
  if (isFolder) throw new WorktreeError(`the worktree ${path} exists already. Choose another name`)
  if ((await readTip(worktree)) !== undefined)
    throw new WorktreeError(`the branch ${branch} exists already. Choose another name`)
  return false
}

async function refuseLinks({ path }: Worktree): Promise<void> {
  if ((await realpath(path)) !== path) throw new WorktreeError(`${path} is behind a symbolic link`)
}

async function addWorktree(worktree: Worktree, signal: AbortSignal): Promise<void> {
  const { repository, path, branch } = worktree
  const { root, commit } = repository
  const args = ['worktree', 'add', '--quiet', '--no-checkout', '-b', branch, path, commit]
  const addition = await runGit(root, args, { signal })
  if (addition.exitCode !== 0) await failCreation(worktree, `git worktree add failed: ${addition.error}`, signal)
}

/**
 * Checks out the files of a new worktree. Outside the lock, because this takes long in large repositories and changes only the
 * new folder.
 */
async function checkOut(worktree: Worktree, signal: AbortSignal): Promise<void> {
  const checkout = await runGit(worktree.path, ['reset', '--hard', '--quiet'], { signal })
  if (checkout.exitCode !== 0) {
    const fail = () => failCreation(worktree, `git could not check out the files: ${checkout.error}`, signal)
    await withWorktreeLock(worktree.repository, fail)
  }
}

async function failCreation(worktree: Worktree, reason: string, signal: AbortSignal): Promise<never> {
  await undoCreation(worktree, { commit: worktree.repository.commit })
  if (signal.aborted) throw signal.reason
  throw new WorktreeError(reason)
}

/** Lists the files that somebody has edited: git can only have written the start of a file of the commit. */
async function listEdited(
  { path, repository }: Worktree,
  commit: string,
  knownFiles: readonly KnownFile[],
): Promise<readonly BytePath[]> {
  const prefix = toBytePath(`${path}${sep}`)
  const names = existsSync(join(path, '.git'))
    ? await listChanged(path, { ignoresDeletions: true })
    : knownFiles.map((file) => file.path.slice(prefix.length))
  const editedNames: BytePath[] = []
  for (const name of names) {
    const content = await readFile(bytesOf(`${prefix}${name}`), 'latin1').catch(() => '')
    const blob = await runGit(repository.root, ['cat-file', 'blob', `${commit}:${showPath(name)}`], {
      encoding: 'latin1',
    })
    if (!blob.stdout.startsWith(content)) editedNames.push(name)
  }
  return editedNames
}

/** Removes what an interrupted creation left: only files that git wrote, because nobody has worked there yet. */
async function undoCreation(worktree: Worktree, { commit }: Pick<UnfinishedChange, 'commit'>): Promise<void> {
  const { path, repository } = worktree
  const { root } = repository
  const rootPath = toBytePath(path)
  if (await exists(rootPath)) {
    await refuseLinks(worktree)
    const list = await runGit(root, ['ls-tree', '-r', '-z', '--name-only', commit], { encoding: 'latin1' })
    if (list.exitCode !== 0) throw new WorktreeError(`git could not list the files of ${commit}: ${list.error}`)
    const { knownFiles, folders, unknownNames } = await listTree(rootPath, new Set(list.stdout.split('\0')), new Set())
    const foreignNames = [...unknownNames, ...(await listEdited(worktree, commit, knownFiles))]
    if (foreignNames.length > 0)
      throw new WorktreeError(
        `${path} is incomplete and contains files that are not from git: ${foreignNames.slice(0, 5).map(showPath).join(', ')}. Move them away`,
      )
    await deleteKnownFiles({ knownFiles, folders, gitLinks: [`${rootPath}${sep}.git`] }).catch((error: unknown) => {
      throw error instanceof TreeChangedError ? new WorktreeError(error.message) : error
    })
  }
  // Twice, because git locks a worktree until it is complete. Nothing was changed in it.
  if (findAdminFolder(worktree) !== undefined) await runGit(root, ['worktree', 'remove', '--force', '--force', path])
  await deleteBranchAt(worktree, commit)
  await forgetChange(worktree)
}
