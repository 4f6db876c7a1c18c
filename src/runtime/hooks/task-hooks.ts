import type { BackgroundTask } from '../../contract/ports/tasks.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { TaskRegistryOptions } from '../../ports/tasks/task-registry.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ConversationOptions } from '../options.js'

/** Runs the hooks when background tasks start and end, and notifies the host. Tasks do not wait for these hooks. */
export function createTaskHooks(
  hooks: HookRunner | undefined,
  { onTaskEnded, onHookReported }: Pick<ConversationOptions, 'onTaskEnded' | 'onHookReported'>,
  onProblem: (problem: string) => void,
): TaskRegistryOptions {
  const runHooks = async (event: TaskEvent, task: BackgroundTask) => {
    if (hooks?.hasHooks(event) !== true) return
    for (const report of (await hooks.run(event, toHookFields(task))).reports) onHookReported?.(report)
  }
  const runSafely = (event: TaskEvent, task: BackgroundTask) => {
    runHooks(event, task).catch((error: unknown) => onProblem(`${event} hooks failed: ${reasonOf(error)}`))
  }
  return {
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

type TaskEvent = 'TaskCreated' | 'TaskCompleted'

function toHookFields({ id, kind, description, status, exitCode }: BackgroundTask) {
  return {
    task_id: id,
    task_type: kind,
    task_subject: description,
    task_status: status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
  }
}
