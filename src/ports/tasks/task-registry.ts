import type { BackgroundTask, TaskEnd, TaskEvent, TaskOutput, TasksPort, TaskWork } from '../../contract/ports/tasks.js'
import { isDoneWithin } from '../../shared/waiting.js'

export interface TaskRegistryOptions {
  readonly onTaskStarted?: ((task: BackgroundTask) => void) | undefined
  readonly onTaskEnded?: ((task: BackgroundTask) => void) | undefined
  /** Called when a monitor reports lines. */
  readonly onTaskReported?: ((task: BackgroundTask, event: TaskEvent) => void) | undefined
  /** How many ended tasks are kept. The oldest are dropped first. */
  readonly maxEndedTasks?: number | undefined
}

interface TaskEntry {
  readonly work: TaskWork
  task: BackgroundTask
}

const DEFAULT_MAX_ENDED = 50

/** All background work of a host. */
export class TaskRegistry implements TasksPort {
  readonly #options: TaskRegistryOptions
  readonly #entries = new Map<string, TaskEntry>()
  #count = 0

  constructor(options: TaskRegistryOptions = {}) {
    this.#options = options
  }

  add(work: TaskWork): BackgroundTask {
    this.#count++
    const { kind, description } = work
    const id = `${kind}-${this.#count}`
    const entry: TaskEntry = { work, task: { id, kind, description, status: 'running' } }
    this.#entries.set(id, entry)
    this.#options.onTaskStarted?.(entry.task)
    void work.ended.then((end) => this.#onEnd(entry, end))
    return entry.task
  }

  list(): readonly BackgroundTask[] {
    return Array.from(this.#entries.values(), ({ task, work }) =>
      task.status === 'running' && work.isIdle === true ? { ...task, isIdle: true as const } : task,
    )
  }

  async output(
    id: string,
    { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<TaskOutput | undefined> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    if (waitMs > 0 && entry.task.status === 'running') await isDoneWithin(waitMs, entry.work.ended, signal)
    const output = entry.work.takeOutput()
    return { task: entry.task, ...output }
  }

  peek(id: string): string | undefined {
    return this.#entries.get(id)?.work.peek()
  }

  async stop(id: string, { isByModel = false } = {}): Promise<BackgroundTask | undefined> {
    const entry = this.#entries.get(id)
    if (entry?.task.status === 'running') {
      if (isByModel) entry.task = { ...entry.task, isEndedByModel: true }
      await entry.work.stop()
      await entry.work.ended
    }
    return entry?.task
  }

  report(id: string, event: TaskEvent): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) this.#options.onTaskReported?.(entry.task, event)
  }

  /** Stops all running tasks and waits until they have ended. */
  async stopAll(): Promise<void> {
    await Promise.all(Array.from(this.#entries.keys(), (id) => this.stop(id)))
  }

  #onEnd(entry: TaskEntry, { status, exitCode, summary }: TaskEnd): void {
    entry.task = { ...entry.task, status, exitCode, ...(summary !== undefined && { summary }) }
    // Inserted again, so that it comes after all tasks that ended before it.
    this.#entries.delete(entry.task.id)
    this.#entries.set(entry.task.id, entry)
    const endedTasks = this.list().filter(({ status }) => status !== 'running')
    const excessCount = endedTasks.length - (this.#options.maxEndedTasks ?? DEFAULT_MAX_ENDED)
    for (const { id } of endedTasks.slice(0, Math.max(0, excessCount))) this.#entries.delete(id)
    this.#options.onTaskEnded?.(entry.task)
  }
}
