import type { HookOutcome } from './answer/merge-results.js'
import type { HookFields } from './config/hook-payload.js'
import type { HookRunner } from './create-hook-runner.js'

type WorktreeEvent = 'WorktreeCreate' | 'WorktreeRemove'

interface HookedWorktree {
  readonly name: string
  readonly path: string
  readonly branch: string
}

/** Returns a function that runs the hooks of an event and returns why a hook objects; undefined if there are no hooks. */
export type AskWorktreeHooks = (
  event: WorktreeEvent,
  signal?: AbortSignal,
) => ((worktree: HookedWorktree) => Promise<string | undefined>) | undefined

type RunWorktreeHooks = (
  hooks: HookRunner,
  event: WorktreeEvent,
  fields: HookFields<WorktreeEvent>,
  signal: AbortSignal | undefined,
) => Promise<HookOutcome>

/** Creates the function that asks the hooks. Cancelled hooks count as an objection: one of them may be a guard. */
export function createWorktreeHooks(hooks: HookRunner | undefined, runHooks: RunWorktreeHooks): AskWorktreeHooks {
  return (event, signal) => {
    if (hooks?.hasHooks(event) !== true) return undefined
    return async ({ name, path, branch }) => {
      const { blocked, stop, cancelled } = await runHooks(hooks, event, { name, worktree_path: path, branch }, signal)
      const reason = blocked ?? stop
      if (reason !== undefined) return `a ${event} hook objects: ${reason}`
      return cancelled ? `the ${event} hooks were cancelled` : undefined
    }
  }
}
