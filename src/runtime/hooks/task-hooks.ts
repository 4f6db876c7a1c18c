import type { BackgroundTask } from '../../contract/ports/tasks.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { FindBoardObjection } from '../../ports/task-board/create-task-board.js'
import type { TaskRegistryOptions } from '../../ports/tasks/task-registry.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ConversationOptions } from '../options.js'

/** Runs the hooks of background tasks and of tasks on the board. */
export interface TaskHooks extends TaskRegistryOptions {
  /** Runs before a task of the board is created or completed. Returns why a hook blocks it. */
  readonly findBoardObjection: FindBoardObjection
}

/**
 * Creates the hooks for tasks. Background tasks do not wait for the hooks that run when they start and end. A task of the board
 * waits, because a hook can block it.
 */
export function createTaskHooks(
  hooks: HookRunner | undefined,
  { onTaskEnded, onTaskReported, onHookReported }: TaskListeners,
  onProblem: (problem: string) => void,
): TaskHooks {
  const runHooks = async (event: TaskEvent, task: BackgroundTask) => {
    if (hooks?.hasHooks(event) !== true) return
    for (const report of (await hooks.run(event, toHookFields(task))).reports) onHookReported?.(report)
  }
  const runSafely = (event: TaskEvent, task: BackgroundTask) => {
    runHooks(event, task).catch((error: unknown) => onProblem(`${event} hooks failed: ${reasonOf(error)}`))
  }
  return {
    async findBoardObjection(event, { id, subject, description }) {
      if (hooks?.hasHooks(event) !== true) return undefined
      const { blocked, reports } = await hooks.run(event, {
        ...(id !== undefined && { task_id: id }),
        ...{ task_type: 'board', task_subject: subject, task_description: description },
      })
      for (const report of reports) onHookReported?.(report)
      return blocked
    },
    onTaskReported: (task, event) => {
      try {
        onTaskReported?.(task, event)
      } catch {
        // A failing listener must not end the monitor.
      }
    },
    onTaskStarted: (task) => runSafely('TaskCreated', task),
    onTaskEnded: (task) => {
      runSafely('TaskCompleted', task)
      try {
        onTaskEnded?.(task)
      } catch {
        // A failing listener must not prevent other notifications.
      }
    },
  }
}

type TaskEvent = Parameters<FindBoardObjection>[0]

type TaskListeners = Pick<ConversationOptions, 'onTaskEnded' | 'onTaskReported' | 'onHookReported'>

function toHookFields({ id, kind, description, status, exitCode }: BackgroundTask) {
  return {
    task_id: id,
    task_type: kind,
    task_subject: description,
    task_status: status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
  }
}
