import { execFile } from 'node:child_process'
import { appendFile, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentWorktree } from '../../contract/ports/agents.js'
import type { IsolatedFolder } from '../../contract/runtime.js'
import { reasonOf } from '../../shared/reason-of.js'
import { makeFolder } from '../../system/make-folder.js'
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
  readonly kept?: AgentWorktree
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
  readonly shared: string
  readonly commit: string
}

const EXCLUDED = '/.haft/worktrees/'

/** Creates a worktree of the last commit on its own branch, in a folder that git and searches in the project ignore. */
export async function openWorktree(
  cwd: string,
  name: string,
  { signal, queues }: WorktreeOptions,
): Promise<OpenWorktree> {
  const repository = await findRepository(cwd)
  const { root, shared, commit } = repository
  const home = basename(shared) === '.git' ? dirname(shared) : root
  const path = join(home, '.haft', 'worktrees', name)
  const branch = `haft/${name}`
  await refuseFilters(root)
  await prepare(shared, dirname(path))
  const made = await inQueue(queues, shared, () =>
    runGit(root, ['worktree', 'add', '--quiet', '-b', branch, path, commit], signal),
  )
  if (made.exitCode !== 0) {
    // Nothing has been done in it yet.
    await runGit(root, ['worktree', 'remove', '--force', path])
    await dropBranch(root, branch, commit)
    if (signal.aborted) throw new ToolCallError('cancelled', 'The agent was cancelled before it began.')
    throw noWorktree(`git worktree add failed: ${made.error}`)
  }
  const real = await realpath(path)
  return {
    isolation: { path: real, original: root, repository: shared },
    cwd: join(real, relative(root, await realpath(cwd))),
    branch,
    close: () => inQueue(queues, shared, () => close({ repository, path: real, branch })),
  }
}

/** Runs git commands on a shared git folder one after the other, because git fails if it finds a lock there. */
async function inQueue<T>(queues: GitQueues, shared: string, work: () => Promise<T>): Promise<T> {
  const mine = (queues.get(shared) ?? Promise.resolve()).then(work, work)
  queues.set(shared, mine)
  try {
    return await mine
  } finally {
    if (queues.get(shared) === mine) queues.delete(shared)
  }
}

async function findRepository(cwd: string): Promise<Repository> {
  const found = await runGit(cwd, ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'])
  if (found.exitCode === undefined) throw noWorktree('git is not installed or cannot be started')
  const [root, shared] = found.stdout.split('\n')
  if (found.exitCode !== 0 || !root || !shared) throw noWorktree('this folder is not in a git repository')
  const head = await runGit(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (head.exitCode !== 0) throw noWorktree('the repository has no commit yet')
  return { root: await realpath(root), shared: await realpath(shared), commit: head.stdout.trim() }
}

/** Filters in the user's own configuration are trusted. Filters in the repository's configuration are not. */
async function refuseFilters(root: string): Promise<void> {
  const filters = await runGit(root, ['config', '--show-scope', '--name-only', '--get-regexp', FILTERS])
  // 1 means none. After any other failure it is unknown what git would run.
  if (filters.exitCode !== 0 && filters.exitCode !== 1) throw noWorktree('git config failed')
  const own = filters.stdout.split('\n').find((line) => /^(?:local|worktree)\t/.test(line))
  if (own === undefined) return
  throw noWorktree(`git would run a program that this repository configures (${own.split('\t')[1] ?? ''})`)
}

const FILTERS = '^filter\\..*\\.(smudge|clean|process)$'

function noWorktree(why: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `No worktree can be created: ${why}. Call Agent without isolation, or do the work yourself.`,
  )
}

async function prepare(shared: string, folder: string): Promise<void> {
  try {
    makeFolder(folder, { mode: 0o777 })
    // A symbolic link in the repository could redirect the worktree to any folder.
    if ((await realpath(folder)) !== folder) throw new Error(`${folder} is behind a symbolic link`)
    const file = join(shared, 'info', 'exclude')
    const before = await readFile(file, 'utf8').catch(() => '')
    if (before.split(/\r?\n/).includes(EXCLUDED)) return
    makeFolder(dirname(file), { mode: 0o777 })
    await appendFile(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${EXCLUDED}\n`)
  } catch (error) {
    throw noWorktree(reasonOf(error))
  }
}

interface Closing {
  readonly repository: Repository
  readonly path: string
  readonly branch: string
}

/** When in doubt, the worktree is kept, so that no work is lost. */
async function close(closing: Closing): Promise<WorktreeEnd> {
  const { repository, path, branch } = closing
  const kept = { path, branch }
  const state = await stateOf(closing)
  if (state.isChanged) return { kept, notes: state.notes }
  // Without --force git checks again, and refuses if something changed in between.
  const removed = await runGit(repository.root, ['worktree', 'remove', path])
  if (removed.exitCode !== 0) return { kept, notes: [`The worktree ${path} was not removed: ${removed.error}`] }
  const dropped = await dropBranch(repository.root, branch, repository.commit)
  const left = dropped ? [] : [`The branch ${branch} was kept, because it has commits.`]
  return { notes: [...state.notes, ...left] }
}

async function stateOf({
  repository,
  path,
  branch,
}: Closing): Promise<{ isChanged: boolean; notes: readonly string[] }> {
  const status = await runGit(path, ['status', '--porcelain', '--ignored', '--untracked-files=normal'])
  if (status.exitCode !== 0) {
    return { isChanged: true, notes: [`It is unknown whether ${path} was changed: ${status.error}`] }
  }
  const lines = status.stdout.split('\n').filter((line) => line !== '')
  const ignored = lines.filter((line) => line.startsWith('!! ')).map((line) => line.slice(3))
  const tips = await Promise.all(
    ['HEAD', `refs/heads/${branch}`].map((ref) => runGit(path, ['rev-parse', '--verify', ref])),
  )
  const hasCommits = tips.some(({ stdout }) => stdout.trim() !== repository.commit)
  if (hasCommits || lines.length > ignored.length) return { isChanged: true, notes: [] }
  if (ignored.length === 0) return { isChanged: false, notes: [] }
  const names = ignored.slice(0, 5).join(', ')
  return { isChanged: false, notes: [`Its worktree was removed with files that git ignores: ${names}`] }
}

/** Deletes the branch only if it still is at this commit: git compares and deletes in one step. */
async function dropBranch(root: string, branch: string, commit: string): Promise<boolean> {
  return (await runGit(root, ['update-ref', '-d', `refs/heads/${branch}`, commit])).exitCode === 0
}

interface GitResult {
  /** Undefined if git could not be started, timed out or was cancelled. */
  readonly exitCode: number | undefined
  readonly stdout: string
  /** The last line of stderr. */
  readonly error: string
}

const TIME_LIMIT_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** Keeps git from running programs of the repository: hooks, monitors. */
const SAFE_OPTIONS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'submodule.recurse=false']

/** Git must not prompt, nor fetch missing objects: a remote can name any program as its transport. */
const SAFE_ENVIRONMENT = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'none' }

/** Runs git in a folder. Never rejects. */
function runGit(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<GitResult> {
  const env = { ...withoutGitVariables(process.env), ...SAFE_ENVIRONMENT }
  return new Promise((resolve) => {
    execFile(
      'git',
      [...SAFE_OPTIONS, ...args],
      { cwd, env, timeout: TIME_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES, ...(signal !== undefined && { signal }) },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined
        const errorLine = stderr.trim().split('\n').at(-1) || (error?.message ?? '')
        resolve({ exitCode, stdout, error: errorLine })
      },
    )
  })
}

/** If Haft was started by git, its variables would point to that repository. */
function withoutGitVariables(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE)$/.test(name),
    ),
  )
}
