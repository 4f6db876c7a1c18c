import { constants, existsSync, readdirSync } from 'node:fs'
import { appendFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { reasonOf } from '../../shared/reason-of.js'
import { makeFolder } from '../make-folder.js'
import { readRegularText } from '../read-regular-file.js'
import { findRepositoryFilter, runGit } from '../run-git.js'

/** Why a worktree cannot be created, entered or removed. The message is a part of a sentence, without a full stop. */
export class WorktreeError extends Error {
  override readonly name = 'WorktreeError'
}

/** The repository that a worktree belongs to. */
export interface Repository {
  /** The working tree that the worktree is a copy of. */
  readonly root: string
  /** The git folder that all working trees share. */
  readonly sharedGitFolder: string
  /** The folder that contains the worktrees. */
  readonly worktreesFolder: string
  /** The commit that is checked out in `root`. */
  readonly commit: string
}

/** A worktree in the folder for worktrees. */
export interface Worktree {
  readonly name: string
  readonly path: string
  /** The branch that was created for it. Another one may be checked out. */
  readonly branch: string
  readonly repository: Repository
}

const WORKTREES_FOLDER = join('.haft', 'worktrees')
const EXCLUDE_PATTERN = '/.haft/worktrees/'
const MAX_EXCLUDE_BYTES = 1024 * 1024
const MAX_LINK_BYTES = 64 * 1024
/** Links are not followed, and opening a pipe does not block. */
const APPEND_FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0)

/** Finds the repository of a folder. Throws a `WorktreeError` if worktrees cannot be made from it. */
export async function findRepository(cwd: string): Promise<Repository> {
  const paths = await runGit(cwd, ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'])
  if (paths.exitCode === undefined) throw new WorktreeError('git is not installed or cannot be started')
  const [root, sharedGitFolder] = paths.stdout.split('\n')
  if (paths.exitCode !== 0 || !root || !sharedGitFolder) throw new WorktreeError(await explainMissingTree(cwd))
  const head = await runGit(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (head.exitCode !== 0) throw new WorktreeError('the repository has no commit yet')
  const [realRoot, realGitFolder] = await Promise.all([realpath(root), realpath(sharedGitFolder)])
  const mainRoot = basename(realGitFolder) === '.git' ? dirname(realGitFolder) : realRoot
  return {
    ...{ root: realRoot, sharedGitFolder: realGitFolder, commit: head.stdout.trim() },
    worktreesFolder: join(mainRoot, WORKTREES_FOLDER),
  }
}

async function explainMissingTree(cwd: string): Promise<string> {
  const bareAnswer = await runGit(cwd, ['rev-parse', '--is-bare-repository'])
  return bareAnswer.stdout.trim() === 'true'
    ? 'this repository is bare, so there is no working tree to copy'
    : 'this folder is not in a git repository'
}

/** Returns the worktree with this name, whether or not it exists. */
export function toWorktree(repository: Repository, name: string): Worktree {
  return { name, repository, path: join(repository.worktreesFolder, name), branch: `haft/${name}` }
}

/** Throws if the repository configures filters, which git would run. Filters of the user are trusted. */
export async function refuseFilters(folder: string): Promise<void> {
  const filter = await findRepositoryFilter(folder).catch((error: unknown) => {
    throw new WorktreeError(reasonOf(error))
  })
  if (filter !== undefined)
    throw new WorktreeError(`git would run a program that this repository configures (${filter})`)
}

/** Creates the folder for worktrees, and keeps git from listing it. */
export async function prepareWorktreesFolder({ worktreesFolder, sharedGitFolder }: Repository): Promise<void> {
  try {
    await makeRealFolder(worktreesFolder)
    await excludeWorktrees(join(sharedGitFolder, 'info'))
  } catch (error) {
    throw new WorktreeError(reasonOf(error), { cause: error })
  }
}

/** Creates a folder. A symbolic link in the repository could redirect it to any folder, so links are refused. */
export async function makeRealFolder(folder: string): Promise<void> {
  makeFolder(folder, { mode: 0o777 })
  if ((await realpath(folder)) !== folder) throw new WorktreeError(`${folder} is behind a symbolic link`)
}

/**
 * Adds the folder of the worktrees to `info/exclude`. Symbolic links are not followed, because they could lead to any
 * file of the user.
 */
async function excludeWorktrees(infoFolder: string): Promise<void> {
  const file = join(infoFolder, 'exclude')
  const readResult = readRegularText(file, { maxBytes: MAX_EXCLUDE_BYTES })
  if (readResult.kind === 'unreadable')
    throw new Error(`${file} is not a regular file, cannot be read or is larger than 1 MB`)
  const text = readResult.kind === 'found' ? readResult.content : ''
  if (text.split(/\r?\n/).includes(EXCLUDE_PATTERN)) return
  await makeRealFolder(infoFolder)
  const addition = `${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDE_PATTERN}\n`
  await appendFile(file, addition, { flag: APPEND_FLAGS }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new Error(`${file} is a symbolic link`) : error
  })
}

/**
 * Returns the folder in which git keeps the index, HEAD and submodules of a worktree; undefined if git does not know the
 * worktree. It is found by its link to the worktree, because the worktree itself may have been deleted.
 */
export function findAdminFolder({ path, repository }: Pick<Worktree, 'path' | 'repository'>): string | undefined {
  const parent = join(repository.sharedGitFolder, 'worktrees')
  return listNames(parent)
    .map((name) => join(parent, name))
    .find((folder) => {
      const link = readRegularText(join(folder, 'gitdir'), { maxBytes: MAX_LINK_BYTES })
      return link.kind === 'found' && resolve(folder, link.content.trim()) === join(path, '.git')
    })
}

/** Returns the names in a folder; empty if there is no such folder. */
export function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
