import { constants } from 'node:fs'
import { appendFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentWorktree } from '../../contract/ports/agents.js'
import type { IsolatedFolder } from '../../contract/runtime.js'
import { reasonOf } from '../../shared/reason-of.js'
import { makeFolder } from '../../system/make-folder.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { findRepositoryFilter, runGit } from '../../system/run-git.js'
import type { GitQueues } from './agent-setting.js'

/** A git worktree in which one agent works. */
export interface OpenWorktree {
  readonly isolation: IsolatedFolder
  /** The caller's folder in the worktree. */
  readonly cwd: string
  readonly branch: string
  /** Removes the worktree and its branch if nothing was changed in it. Never rejects. */
  close(): Promise<WorktreeEnd>
}

export interface WorktreeEnd {
  readonly keptWorktree?: AgentWorktree
  readonly notes: readonly string[]
}

export interface WorktreeOptions {
  readonly signal: AbortSignal
  /** Shared by all agents of a session. */
  readonly queues: GitQueues
}

interface Repository {
  /** The working tree of the caller. */
  readonly root: string
  /** The git folder that all working trees share. */
  readonly sharedGitFolder: string
  readonly commit: string
}

const EXCLUDE_PATTERN = '/.haft/worktrees/'
const MAX_EXCLUDE_BYTES = 1024 * 1024
/** Links are not followed, and opening a pipe does not block. */
const APPEND_FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0)

/** Creates a worktree of the last commit on its own branch, in a folder that git and searches in the project ignore. */
export async function openWorktree(
  cwd: string,
  name: string,
  { signal, queues }: WorktreeOptions,
): Promise<OpenWorktree> {
  const repository = await findRepository(cwd)
  const { root, sharedGitFolder, commit } = repository
  const mainRoot = basename(sharedGitFolder) === '.git' ? dirname(sharedGitFolder) : root
  const path = join(mainRoot, '.haft', 'worktrees', name)
  const branch = `haft/${name}`
  await refuseFilters(root)
  const addition = await runInQueue(queues, sharedGitFolder, async () => {
    await prepareWorktreeFolder(sharedGitFolder, dirname(path))
    return runGit(root, ['worktree', 'add', '--quiet', '-b', branch, path, commit], signal)
  })
  if (addition.exitCode !== 0) {
    // Nothing is lost: no agent has worked in the worktree yet.
    await runGit(root, ['worktree', 'remove', '--force', path])
    await deleteBranch(root, branch, commit)
    if (signal.aborted) throw new ToolCallError('cancelled', 'The agent was cancelled before it began.')
    throw createWorktreeError(`git worktree add failed: ${addition.error}`)
  }
  const realFolder = await realpath(path)
  return {
    isolation: { path: realFolder, original: root, repository: sharedGitFolder },
    cwd: join(realFolder, relative(root, await realpath(cwd))),
    branch,
    close: () => runInQueue(queues, sharedGitFolder, () => close({ repository, path: realFolder, branch })),
  }
}

/**
 * Works on a shared git folder one after the other: git fails if it finds a lock there, and `info/exclude` must not be read
 * while it is written.
 */
async function runInQueue<T>(queues: GitQueues, sharedGitFolder: string, work: () => Promise<T>): Promise<T> {
  const queuedWork = (queues.get(sharedGitFolder) ?? Promise.resolve()).then(work, work)
  queues.set(sharedGitFolder, queuedWork)
  try {
    return await queuedWork
  } finally {
    if (queues.get(sharedGitFolder) === queuedWork) queues.delete(sharedGitFolder)
  }
}

async function findRepository(cwd: string): Promise<Repository> {
  const paths = await runGit(cwd, ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'])
  if (paths.exitCode === undefined) throw createWorktreeError('git is not installed or cannot be started')
  const [root, sharedGitFolder] = paths.stdout.split('\n')
  if (paths.exitCode !== 0 || !root || !sharedGitFolder)
    throw createWorktreeError('this folder is not in a git repository')
  const head = await runGit(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (head.exitCode !== 0) throw createWorktreeError('the repository has no commit yet')
  return { root: await realpath(root), sharedGitFolder: await realpath(sharedGitFolder), commit: head.stdout.trim() }
}

/** Throws if the repository configures filters, which git would run. Filters of the user are trusted. */
async function refuseFilters(root: string): Promise<void> {
  const filter = await findRepositoryFilter(root).catch((error: unknown) => {
    throw createWorktreeError(reasonOf(error))
  })
  if (filter !== undefined)
    throw createWorktreeError(`git would run a program that this repository configures (${filter})`)
}

function createWorktreeError(reason: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `No worktree can be created: ${reason}. Call Agent without isolation, or do the work yourself.`,
  )
}

async function prepareWorktreeFolder(sharedGitFolder: string, folder: string): Promise<void> {
  try {
    makeFolder(folder, { mode: 0o777 })
    // A symbolic link in the repository could redirect the worktree to any folder.
    if ((await realpath(folder)) !== folder) throw new Error(`${folder} is behind a symbolic link`)
    await excludeWorktrees(join(sharedGitFolder, 'info'))
  } catch (error) {
    throw createWorktreeError(reasonOf(error))
  }
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
  makeFolder(infoFolder, { mode: 0o777 })
  if ((await realpath(infoFolder)) !== infoFolder) throw new Error(`${infoFolder} is behind a symbolic link`)
  const addition = `${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDE_PATTERN}\n`
  await appendFile(file, addition, { flag: APPEND_FLAGS }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new Error(`${file} is a symbolic link`) : error
  })
}

interface WorktreeToClose {
  readonly repository: Repository
  readonly path: string
  readonly branch: string
}

/** When in doubt, the worktree is kept, so that no work is lost. */
async function close(worktree: WorktreeToClose): Promise<WorktreeEnd> {
  const { repository, path, branch } = worktree
  const keptWorktree = { path, branch }
  const state = await inspectChanges(worktree)
  if (state.isChanged) return { keptWorktree, notes: state.notes }
  // Without --force git checks again, and refuses if something changed in between.
  const removal = await runGit(repository.root, ['worktree', 'remove', path])
  if (removal.exitCode !== 0) return { keptWorktree, notes: [`The worktree ${path} was not removed: ${removal.error}`] }
  const isBranchDeleted = await deleteBranch(repository.root, branch, repository.commit)
  const branchNotes = isBranchDeleted
    ? []
    : [`The branch ${branch} was kept, because it has new commits or could not be deleted.`]
  return { notes: [...state.notes, ...branchNotes] }
}

async function inspectChanges({
  repository,
  path,
  branch,
}: WorktreeToClose): Promise<{ isChanged: boolean; notes: readonly string[] }> {
  const status = await runGit(path, ['status', '--porcelain', '--ignored', '--untracked-files=normal'])
  if (status.exitCode !== 0) {
    return { isChanged: true, notes: [`${path} was kept, because git could not list its changes: ${status.error}`] }
  }
  const lines = status.stdout.split('\n').filter((line) => line !== '')
  const ignoredPaths = lines.filter((line) => line.startsWith('!! ')).map((line) => line.slice(3))
  const branchTips = await Promise.all(
    ['HEAD', `refs/heads/${branch}`].map((ref) => runGit(path, ['rev-parse', '--verify', ref])),
  )
  const hasCommits = branchTips.some(({ stdout }) => stdout.trim() !== repository.commit)
  if (hasCommits || lines.length > ignoredPaths.length) return { isChanged: true, notes: [] }
  if (ignoredPaths.length === 0) return { isChanged: false, notes: [] }
  const names = ignoredPaths.slice(0, 5).join(', ')
  return { isChanged: false, notes: [`The worktree of the agent was removed with files that git ignores: ${names}`] }
}

/** Deletes the branch only if it is still at this commit: git compares and deletes in one step. */
async function deleteBranch(root: string, branch: string, commit: string): Promise<boolean> {
  return (await runGit(root, ['update-ref', '-d', `refs/heads/${branch}`, commit])).exitCode === 0
}
