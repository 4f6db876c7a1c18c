import { ToolCallError } from '../../contract/errors.js'
import type { DuePrompt, NewScheduledTask, ScheduledRun, ScheduledTask } from '../../contract/ports/schedule.js'
import { findCronProblem, findNextTime, getLocalZone } from '../../shared/cron-times.js'
import { MAX_TIMER_MS } from '../../shared/waiting.js'

const MAX_TASKS = 50
const MAX_RUNS_KEPT = 20
/** The longest wait of one timer. Timers do not advance while the computer sleeps, so a long wait is split. */
const MAX_WAIT_MS = 60_000

interface SessionTask extends ScheduledTask {
  timer?: NodeJS.Timeout
}

/** The tasks that end with the session. */
export class SessionTasks {
  readonly #tasks = new Map<string, SessionTask>()
  readonly #onDue: (prompt: DuePrompt) => void
  #nextId = 1

  constructor(onDue: (prompt: DuePrompt) => void) {
    this.#onDue = onDue
  }

  create({ timezone = getLocalZone(), ifMissed = 'run_once', ...task }: NewScheduledTask): ScheduledTask {
    const now = Date.now()
    const problem = findCronProblem(task.cron, timezone, now)
    if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
    if (this.#tasks.size >= MAX_TASKS)
      throw new ToolCallError('tool_failed', `This session has ${MAX_TASKS} scheduled tasks. Delete some first.`)
    const id = `s${this.#nextId++}`
    return this.#wait({ ...task, id, timezone, ifMissed, runs: [] }, now)
  }

  delete(id: string): ScheduledTask | undefined {
    const task = this.#tasks.get(id)
    clearTimeout(task?.timer)
    this.#tasks.delete(id)
    return task && toPlainTask(task)
  }

  list(): readonly ScheduledTask[] {
    return [...this.#tasks.values()].map(toPlainTask)
  }

  dispose(): void {
    for (const { timer } of this.#tasks.values()) clearTimeout(timer)
    this.#tasks.clear()
  }

  /** Sets the timer for the next time after a moment. A task without a next time is removed. */
  #wait({ timer: _, nextRun: __, ...task }: SessionTask, after: number): ScheduledTask {
    const due = findNextTime(task, after)
    if (due === undefined) {
      this.#tasks.delete(task.id)
      return task
    }
    const waitingTask: SessionTask = { ...task, nextRun: due }
    this.#tasks.set(task.id, waitingTask)
    this.#setTimer(waitingTask, due)
    return toPlainTask(waitingTask)
  }

  #setTimer(task: SessionTask, due: number): void {
    const remainingMs = Math.max(due - Date.now(), 0)
    task.timer = setTimeout(
      () => {
        if (Date.now() < due) this.#setTimer(task, due)
        else this.#run(task, due)
      },
      Math.min(remainingMs, MAX_WAIT_MS, MAX_TIMER_MS),
    ).unref()
  }

  #run(task: SessionTask, due: number): void {
    const { id, cron, prompt } = task
    const run: ScheduledRun = { due, state: 'delivered', missedCount: 0 }
    const ranTask = { ...task, runs: [...task.runs, run].slice(-MAX_RUNS_KEPT) }
    // Times that passed while the computer slept are not made up for one by one.
    if (task.recurring) this.#wait(ranTask, Date.now())
    else this.#tasks.delete(id)
    this.#onDue({ id, cron, prompt, due })
  }
}

function toPlainTask({ timer: _, ...task }: SessionTask): ScheduledTask {
  return task
}
