import { appendFile, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentWorktree } from '../../contract/ports/agents.js'
import type { IsolatedFolder } from '../../contract/runtime.js'
import { reasonOf } from '../../shared/reason-of.js'
import { makeFolder } from '../../system/make-folder.js'
import { runGit } from './run-git.js'

/** A copy of a repository in which one agent works. */
export interface OpenWorktree {
  readonly isolation: IsolatedFolder
  /** What the folder of the caller is in the copy. */
  readonly cwd: string
  readonly branch: string
  /** Removes the copy where nothing was done in it; else it stays, with its branch. Never rejects. */
  close(): Promise<WorktreeEnd>
}

export interface WorktreeEnd {
  readonly kept?: AgentWorktree
  readonly notes: readonly string[]
}

interface Repository {
  /** The working tree that the caller is in. */
  readonly root: string
  /** What all working trees share. */
  readonly shared: string
  readonly commit: string
}

const EXCLUDED = '/.haft/worktrees/'

/** Makes a working tree of the last commit, on a branch of its own, where git and searches of the project do not see it. */
export async function openWorktree(
  cwd: string,
  name: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<OpenWorktree> {
  const repository = await findRepository(cwd)
  const { root, shared, commit } = repository
  const home = basename(shared) === '.git' ? dirname(shared) : root
  const path = join(home, '.haft', 'worktrees', name)
  const branch = `haft/${name}`
  await refusePrograms(root)
  await prepare(shared, dirname(path))
  const made = await inTurn(shared, () =>
    runGit(root, ['worktree', 'add', '--quiet', '-b', branch, path, commit], signal),
  )
  if (made.exitCode !== 0) {
    // Nobody has worked in it yet.
    await runGit(root, ['worktree', 'remove', '--force', path])
    await dropBranch(root, branch, commit)
    if (signal.aborted) throw new ToolCallError('cancelled', 'The agent was cancelled before it began.')
    throw cannot(`git could not make a worktree: ${made.complaint}`)
  }
  const real = await realpath(path)
  return {
    isolation: { path: real, original: root, repository: shared },
    cwd: join(real, relative(root, await realpath(cwd))),
    branch,
    close: () => inTurn(shared, () => close({ repository, path: real, branch })),
  }
}

const turns = new Map<string, Promise<unknown>>()

/** Git takes locks in what all working trees share, and gives up where it finds one: agents that begin at once must not meet there. */
async function inTurn<T>(shared: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(shared) ?? Promise.resolve()).then(work, work)
  turns.set(shared, mine)
  try {
    return await mine
  } finally {
    if (turns.get(shared) === mine) turns.delete(shared)
  }
}

async function findRepository(cwd: string): Promise<Repository> {
  const found = await runGit(cwd, ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'])
  if (found.exitCode === undefined) throw cannot('git is not installed or cannot be started')
  const [root, shared] = found.stdout.split('\n')
  if (found.exitCode !== 0 || !root || !shared) throw cannot('this folder is in no git repository')
  const head = await runGit(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  if (head.exitCode !== 0) throw cannot('the repository has no commit yet')
  return { root: await realpath(root), shared: await realpath(shared), commit: head.stdout.trim() }
}

/** Filters of the user's own configuration are the user's; those that came with a repository are anybody's. */
async function refusePrograms(root: string): Promise<void> {
  const filters = await runGit(root, ['config', '--show-scope', '--name-only', '--get-regexp', FILTERS])
  // 1 is for none; any other failure leaves it open what git would run.
  if (filters.exitCode !== 0 && filters.exitCode !== 1) throw cannot(`git does not tell its settings`)
  const own = filters.stdout.split('\n').find((line) => /^(?:local|worktree)\t/.test(line))
  if (own === undefined) return
  throw cannot(`git would run a program that this repository brings (${own.split('\t')[1] ?? ''} in its settings)`)
}

const FILTERS = '^filter\\..*\\.(smudge|clean|process)$'

function cannot(why: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `No worktree can be had: ${why}. Call Agent without isolation, or do it yourself.`,
  )
}

async function prepare(shared: string, folder: string): Promise<void> {
  try {
    makeFolder(folder, { mode: 0o777 })
    // A link that came with the repository could put the copy anywhere.
    if ((await realpath(folder)) !== folder) throw new Error(`${folder} is behind a link`)
    const file = join(shared, 'info', 'exclude')
    const before = await readFile(file, 'utf8').catch(() => '')
    if (before.split(/\r?\n/).includes(EXCLUDED)) return
    makeFolder(dirname(file), { mode: 0o777 })
    await appendFile(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${EXCLUDED}\n`)
  } catch (error) {
    throw cannot(reasonOf(error))
  }
}

interface Closing {
  readonly repository: Repository
  readonly path: string
  readonly branch: string
}

/** In doubt the copy is kept: what was done in it is nobody's to lose. */
async function close(closing: Closing): Promise<WorktreeEnd> {
  const { repository, path, branch } = closing
  const kept = { path, branch }
  const state = await stateOf(closing)
  if (state.isChanged) return { kept, notes: state.notes }
  // Without force: git looks again, and refuses if anything came in between.
  const removed = await runGit(repository.root, ['worktree', 'remove', path])
  if (removed.exitCode !== 0) return { kept, notes: [`The worktree ${path} was not removed: ${removed.complaint}`] }
  const dropped = await dropBranch(repository.root, branch, repository.commit)
  const left = dropped ? [] : [`The branch ${branch} was kept, because something was committed to it.`]
  return { notes: [...state.notes, ...left] }
}

async function stateOf({
  repository,
  path,
  branch,
}: Closing): Promise<{ isChanged: boolean; notes: readonly string[] }> {
  const status = await runGit(path, ['status', '--porcelain', '--ignored', '--untracked-files=normal'])
  if (status.exitCode !== 0) {
    return { isChanged: true, notes: [`Whether ${path} was changed cannot be told: ${status.complaint}`] }
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
  return { isChanged: false, notes: [`With its worktree went only what git ignores: ${names}`] }
}

/** Only as it was made: git compares and deletes in one step. */
async function dropBranch(root: string, branch: string, commit: string): Promise<boolean> {
  return (await runGit(root, ['update-ref', '-d', `refs/heads/${branch}`, commit])).exitCode === 0
}
