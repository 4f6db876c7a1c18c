import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { AgentWorktree } from '../../contract/ports/agents.js'
import type { IsolatedFolder } from '../../contract/runtime.js'
import type { AskWorktreeHooks } from '../../hooks/worktree-hooks.js'
import { reasonOf } from '../../shared/reason-of.js'
import { createWorktree } from '../../system/worktrees/create-worktree.js'
import { removeWorktree } from '../../system/worktrees/remove-worktree.js'
import { type Worktree, WorktreeError } from '../../system/worktrees/worktree-repository.js'

/** A git worktree in which one agent works. */
export interface OpenWorktree {
  readonly isolation: IsolatedFolder
  /** The caller's folder in the worktree. */
  readonly cwd: string
  readonly branch: string
  /** Removes the worktree and its branch if nothing was changed in it. Never rejects. */
  close(): Promise<WorktreeEnd>
}

interface WorktreeOptions {
  readonly signal: AbortSignal
  readonly askHooks: AskWorktreeHooks
}

export interface WorktreeEnd {
  readonly keptWorktree?: AgentWorktree
  readonly notes: readonly string[]
}

/** Creates a worktree of the last commit on its own branch, in a folder that git and searches in the project ignore. */
export async function openWorktree(
  cwd: string,
  name: string,
  { signal, askHooks }: WorktreeOptions,
): Promise<OpenWorktree> {
  const findObjection = askHooks('WorktreeCreate', signal)
  const worktree = await createWorktree(cwd, name, { signal, findObjection }).catch((error: unknown) => {
    if (signal.aborted) throw new ToolCallError('cancelled', 'The agent was cancelled before it began.')
    throw error instanceof WorktreeError ? createWorktreeError(error) : error
  })
  const { path, branch, repository } = worktree
  const { root, sharedGitFolder } = repository
  return {
    isolation: { path, original: root, repository: sharedGitFolder },
    cwd: join(path, relative(root, await realpath(cwd))),
    branch,
    close: () => closeWorktree(worktree, askHooks),
  }
}

function createWorktreeError(error: WorktreeError): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `No worktree can be created: ${error.message}. Call Agent without isolation, or do the work yourself.`,
    { cause: error },
  )
}

/** Removes the worktree. When in doubt, it is kept, so that no work is lost. */
async function closeWorktree(worktree: Worktree, askHooks: AskWorktreeHooks): Promise<WorktreeEnd> {
  const { path, branch, repository } = worktree
  const keptWorktree = { path, branch }
  try {
    const result = await removeWorktree(worktree, {
      expectedCommit: repository.commit,
      findObjection: askHooks('WorktreeRemove'),
    })
    if (result.kind === 'removed') return { notes: [] }
    return { keptWorktree, notes: result.obstacles.map((obstacle) => `The worktree ${path} was kept: ${obstacle}.`) }
  } catch (error) {
    return { keptWorktree, notes: [`The worktree ${path} was kept: ${reasonOf(error)}.`] }
  }
}
