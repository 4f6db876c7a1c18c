import type { BackgroundTask } from '../contract/ports/tasks.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { TaskRegistryOptions } from '../ports/tasks/task-registry.js'
import { reasonOf } from '../shared/reason-of.js'
import type { ToolRuntimeOptions } from './runtime-options.js'

/** Tells hooks and the host of background work that begins and ends. Nobody waits for what they make of it. */
export function taskHooks(
  hooks: () => HookRunner | undefined,
  {
    onTaskEnded,
    onHookReported,
    onProblem,
  }: Pick<ToolRuntimeOptions, 'onTaskEnded' | 'onHookReported'> & { onProblem: (problem: string) => void },
): TaskRegistryOptions {
  const tell = async (event: 'TaskCreated' | 'TaskCompleted', task: BackgroundTask) => {
    const runner = hooks()
    if (runner?.hasHooks(event) !== true) return
    for (const report of (await runner.run(event, fieldsOf(task))).reports) onHookReported?.(report)
  }
  const tellSafely = (event: 'TaskCreated' | 'TaskCompleted', task: BackgroundTask) => {
    tell(event, task).catch((error: unknown) => onProblem(`${event} hooks failed: ${reasonOf(error)}`))
  }
  return {
    onTaskStarted: (task) => tellSafely('TaskCreated', task),
    onTaskEnded: (task) => {
      tellSafely('TaskCompleted', task)
      try {
        onTaskEnded?.(task)
      } catch {
        // Who hears of the end must not be able to keep others from it.
      }
    },
  }
}

function fieldsOf({ id, kind, description, status, exitCode }: BackgroundTask) {
  return {
    task_id: id,
    task_type: kind,
    task_subject: description,
    task_status: status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
  }
}
