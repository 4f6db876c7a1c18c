/** Whether a background task is running, or how it ended. */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped'

/** How background work ended. */
export interface WorkEnd {
  /** Whether processes may still be running whose end cannot be observed. */
  readonly mayLeaveProcesses?: boolean
}

/** Work that was started in the background, whether it still runs or has ended. */
export interface BackgroundTask {
  readonly id: string
  readonly kind: 'shell' | 'agent' | 'monitor'
  readonly description: string
  readonly status: TaskStatus
  /** An agent that runs, but does nothing until it gets a message. */
  readonly isIdle?: true
  readonly exitCode?: number | null
  /** A short description of the result. */
  readonly summary?: string
  /** Whether the model ended the task itself. */
  readonly isEndedByModel?: boolean
}

/** New output of a background task. */
export interface TaskOutput {
  readonly task: BackgroundTask
  /** Output since the last request; a preview if it is long. */
  readonly text: string
  /** The file with all output so far. */
  readonly path?: string
  readonly receivedBytes: number
}

/** Lines that a monitor printed. They come from a program and may say anything. */
export interface TaskEvent {
  readonly lines: readonly string[]
  /** How many further lines were left out. */
  readonly omittedLines: number
  /** Why the monitor ends with this event. */
  readonly end?: string
}

/** How a background task ended. */
export interface TaskEnd extends WorkEnd {
  readonly status: Exclude<TaskStatus, 'running'>
  readonly exitCode: number | null
  readonly summary?: string
}

/** Running work that `TasksPort.add` turns into a task. */
export interface TaskWork {
  readonly kind: BackgroundTask['kind']
  readonly description: string
  /** Whether the work waits for messages. Default: false. */
  readonly isIdle?: boolean
  /** Never rejects. */
  readonly ended: Promise<TaskEnd>
  /** Returns the output since the last call. */
  takeOutput(): Omit<TaskOutput, 'task'>
  /** Returns the output so far for display, without taking it. Long output is shortened. */
  peek(): string
  /** Resolves when the work has ended. */
  stop(): Promise<unknown>
}

/** Lists, reads and stops background tasks. */
export interface TasksPort {
  list(): readonly BackgroundTask[]
  /** Waits up to `waitMs` for the task to end. Resolves to undefined if the task is unknown. */
  output(
    id: string,
    options?: { readonly waitMs?: number; readonly signal?: AbortSignal },
  ): Promise<TaskOutput | undefined>
  /** Returns the output so far for display; the model still gets it. Undefined if the task is unknown. */
  peek(id: string): string | undefined
  /** Ends a task. If the model does it, it knows about the end and gets no notice. */
  stop(id: string, options?: { readonly isByModel?: boolean }): Promise<BackgroundTask | undefined>
  /** Passes lines that a monitor printed to the conversation, and wakes it if it is idle. Ignored for unknown tasks. */
  report(id: string, event: TaskEvent): void
  /** Registers running work as a task, which is stopped when the host ends. */
  add(work: TaskWork): BackgroundTask
}
