export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped'

/** How work ended that went on after the answer of its call. */
export interface WorkEnd {
  /** Something of it still runs, or may, and nobody will tell when that ends. */
  readonly leavesRest?: boolean
}

export interface BackgroundTask {
  readonly id: string
  readonly kind: 'shell' | 'agent' | 'monitor'
  readonly description: string
  readonly status: TaskStatus
  readonly exitCode?: number | null
  /** What came of it, where it can tell in a few words. */
  readonly summary?: string
}

export interface TaskOutput {
  readonly task: BackgroundTask
  /** What came since it was last asked for, a preview where that is long. */
  readonly text: string
  /** The file with everything so far. */
  readonly path?: string
  readonly receivedBytes: number
}

export interface TaskEnd extends WorkEnd {
  readonly status: Exclude<TaskStatus, 'running'>
  readonly exitCode: number | null
  readonly summary?: string
}

/** Work that goes on by itself. */
export interface TaskWork {
  readonly kind: BackgroundTask['kind']
  readonly description: string
  /** Never rejects. */
  readonly ended: Promise<TaskEnd>
  /** What came since it was last asked for. */
  takeOutput(): Omit<TaskOutput, 'task'>
  /** Resolves when it has ended. */
  stop(): Promise<unknown>
}

/** Background work: what runs, what it printed, and how to stop it. */
export interface TasksPort {
  list(): readonly BackgroundTask[]
  /** Waits for the end of the task as long as it is told to; undefined where no such task is known. */
  output(
    id: string,
    options?: { readonly waitMs?: number; readonly signal?: AbortSignal },
  ): Promise<TaskOutput | undefined>
  stop(id: string): Promise<BackgroundTask | undefined>
  /** Makes work that has begun a task; it ends with the host at the latest. */
  add(work: TaskWork): BackgroundTask
}
