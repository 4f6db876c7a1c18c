import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { Ports } from '../../contract/ports/index.js'
import type { EnteredWorktree, LeftWorktree, SessionWorktree, WorktreesPort } from '../../contract/ports/worktrees.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import { type AskWorktreeHooks, createWorktreeHooks } from '../../hooks/worktree-hooks.js'
import type { RemovalResult } from '../../system/worktrees/remove-worktree.js'
import type { Worktree } from '../../system/worktrees/worktree-repository.js'
import type { Agent } from '../agent.js'

/** What the session was doing before it entered the worktree. */
interface WorktreeVisit {
  readonly worktree: Worktree
  readonly cwdBefore: string
  /** Background work that was started before and does not use the worktree. */
  readonly workBefore: ReadonlySet<string>
}

type BackgroundPorts = () => Partial<Pick<Ports, 'tasks' | 'terminal'>>

/** Moves the main agent into a git worktree and back. */
export class SessionWorktrees implements WorktreesPort {
  readonly #agent: Agent
  readonly #ports: BackgroundPorts
  readonly #askHooks: AskWorktreeHooks
  #visit: WorktreeVisit | undefined

  constructor(agent: Agent, ports: BackgroundPorts, hooks: HookRunner | undefined) {
    this.#agent = agent
    this.#ports = ports
    const { onHookReported } = agent.services.options.conversation ?? {}
    this.#askHooks = createWorktreeHooks(hooks, async (runner, event, fields, signal) => {
      const outcome = await runner.run(event, fields, signal === undefined ? {} : { signal })
      for (const report of outcome.reports) onHookReported?.(report)
      return outcome
    })
  }

  get current(): SessionWorktree | undefined {
    return this.#visit && toSessionWorktree(this.#visit.worktree)
  }

  async enter(name = createName(), { signal }: { readonly signal: AbortSignal }): Promise<EnteredWorktree> {
    const { createWorktree } = await import('../../system/worktrees/create-worktree.js')
    const { isNew, ...worktree } = await explainFailure('No worktree was entered', () =>
      createWorktree(this.#agent.cwd, name, {
        ...{ signal, mayExist: true },
        findObjection: this.#askHooks('WorktreeCreate', signal),
      }),
    )
    return { ...toSessionWorktree(worktree), cwd: this.#moveInto(worktree), isNew }
  }

  /** Enters a worktree that exists, for a resumed session. */
  async reenter(name: string): Promise<void> {
    const { findWorktree } = await import('../../system/worktrees/create-worktree.js')
    this.#moveInto(await explainFailure('The worktree cannot be entered', () => findWorktree(this.#agent.cwd, name)))
  }

  leave(): LeftWorktree {
    const { worktree } = this.#requireStay()
    const cwd = this.#moveBack()
    return { ...toSessionWorktree(worktree), cwd, isRemoved: false, isBranchKept: true, savedRefs: [] }
  }

  async remove({ movesUnsavedWork }: { readonly movesUnsavedWork: boolean }): Promise<LeftWorktree> {
    const { worktree } = this.#requireStay()
    this.#refuseRunningWork()
    const { removeWorktree } = await import('../../system/worktrees/remove-worktree.js')
    const result = await explainFailure(`The worktree ${worktree.path} was kept`, () =>
      removeWorktree(worktree, { setsAside: movesUnsavedWork, findObjection: this.#askHooks('WorktreeRemove') }),
    )
    if (result.kind === 'kept') throw createKeptError(worktree, result)
    const { refs: savedRefs, branch, savedFolder } = result
    return {
      ...{ ...toSessionWorktree(worktree), cwd: this.#moveBack() },
      ...{ isRemoved: true, isBranchKept: branch !== undefined, savedRefs },
      ...(savedFolder !== undefined && { savedFolder }),
    }
  }

  #moveInto(worktree: Worktree): string {
    const { path, repository } = worktree
    const visit = { worktree, cwdBefore: this.#agent.cwd, workBefore: new Set(this.#listRunningWork()) }
    this.#agent.moveInto({ path, original: repository.root, repository: repository.sharedGitFolder })
    this.#visit = visit
    return this.#agent.cwd
  }

  #moveBack(): string {
    const { cwdBefore } = this.#requireStay()
    const { startDir } = this.#agent.moveBack()
    this.#agent.cwd = existsSync(cwdBefore) ? cwdBefore : startDir
    this.#visit = undefined
    return this.#agent.cwd
  }

  #requireStay(): WorktreeVisit {
    if (this.#visit !== undefined) return this.#visit
    throw new ToolCallError('tool_failed', 'The session is not in a worktree. EnterWorktree enters one.')
  }

  #refuseRunningWork(): void {
    const { worktree, workBefore } = this.#requireStay()
    const running = this.#listRunningWork().filter((id) => !workBefore.has(id))
    if (running.length === 0) return
    throw new ToolCallError(
      'tool_failed',
      `The worktree ${worktree.path} was kept: background work that was started there is still running (${running.join(', ')}). Stop it first, or leave with action "keep".`,
    )
  }

  #listRunningWork(): readonly string[] {
    const { tasks, terminal } = this.#ports()
    const runningTasks = (tasks?.list() ?? []).filter(({ status }) => status === 'running')
    return [...runningTasks, ...(terminal?.list() ?? [])].map(({ id }) => id)
  }
}

function toSessionWorktree({ name, path, branch }: Worktree): SessionWorktree {
  return { name, path, branch }
}

function createName(): string {
  return `work-${randomBytes(4).toString('hex')}`
}

async function explainFailure<T>(outcome: string, work: () => Promise<T>): Promise<T> {
  const { WorktreeError } = await import('../../system/worktrees/worktree-repository.js')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error
    throw new ToolCallError('tool_failed', `${outcome}: ${error.message}.`, { cause: error })
  }
}

function createKeptError(
  { path }: Worktree,
  { obstacles, unsavedWork }: Extract<RemovalResult, { kind: 'kept' }>,
): ToolCallError {
  const list = [...obstacles, ...unsavedWork].map((reason) => `- ${reason}`).join('\n')
  const advice =
    obstacles.length > 0
      ? 'Resolve this first, or leave with action "keep".'
      : `Commit this work, or leave with action "keep". With discard_changes the whole folder is moved to ${join('.haft', 'worktrees', '.removed')} instead.`
  return new ToolCallError('tool_failed', `The worktree ${path} was kept:\n${list}\n${advice}`)
}
