import { ToolCallError } from '../../contract/errors.js'
import type { HttpPort } from '../../contract/ports/http.js'
import type { DuePrompt, ScheduledTask, SchedulePort, Workers } from '../../contract/ports/schedule.js'
import { toScheduledTask } from './schedule-changes.js'
import { ScheduleStore } from './schedule-store.js'
import { SessionTasks } from './session-tasks.js'
import { triggerOnWorker } from './trigger-worker.js'

/** What the host offers for scheduled tasks. */
export interface ScheduleOptions {
  /** The folder with the durable tasks of the project. It belongs to the user, not to the project. */
  readonly folder: string
  readonly projectRoot: string
  /** Receives prompts that are due in this session. Undefined if the session ends with its answer. */
  readonly onDue?: ((prompt: DuePrompt) => void) | undefined
  /** Whether something in this process starts durable runs, so that they need no service. Default: false. */
  readonly startsDurableRuns?: boolean | undefined
  /** Workers on other machines, by name. */
  readonly workers?: Workers | undefined
  readonly http: HttpPort
}

/** A schedule that must be disposed of, because its timers belong to the session. */
export interface ManagedSchedulePort extends SchedulePort {
  dispose(): void
}

export function createSchedule(options: ScheduleOptions): ManagedSchedulePort {
  const { folder, projectRoot, onDue, startsDurableRuns = false, workers = {}, http } = options
  const store = new ScheduleStore(folder, projectRoot)
  const sessionTasks = onDue && new SessionTasks(onDue)
  return {
    async create(task) {
      if (task.durable) return toScheduledTask(await store.create(task, 'other'))
      if (sessionTasks !== undefined) return sessionTasks.create(task)
      throw new ToolCallError(
        'tool_failed',
        'This session ends with its answer, so a task in it would never run. Set durable to true.',
      )
    },
    async delete(id) {
      const sessionTask = sessionTasks?.delete(id)
      if (sessionTask !== undefined) return sessionTask
      const removedTask = await store.remove(id)
      return removedTask && toScheduledTask(removedTask)
    },
    async list() {
      return [...(sessionTasks?.list() ?? []), ...listDurable(store)]
    },
    async trigger({ prompt, worker, key }, { signal }) {
      if (worker !== undefined) return await triggerOnWorker({ workers, worker, http, prompt, key, signal })
      const { id } = await store.createOnce(prompt, Date.now(), key)
      const waiting = startsDurableRuns ? '' : ' If no schedule service is running, it starts with the next one.'
      return `Queued as scheduled task ${id}. It runs in the background as a session of its own.${waiting}`
    },
    dispose: () => sessionTasks?.dispose(),
  }
}

/** Lists the durable tasks. Ended tasks stay in the file for a while, so that their runs can be looked up. */
function listDurable(store: ScheduleStore): readonly ScheduledTask[] {
  return store
    .read()
    .tasks.filter(({ endedAt }) => endedAt === undefined)
    .map(toScheduledTask)
}
