export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped'

export interface BackgroundTask {
  readonly id: string
  readonly kind: 'shell' | 'agent' | 'monitor'
  readonly description: string
  readonly status: TaskStatus
}

/** Background work: what runs, what it printed, and how to stop it. */
export interface TasksPort {
  list(): readonly BackgroundTask[]
  output(
    id: string,
    options?: { readonly waitMs?: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly task: BackgroundTask; readonly text: string } | undefined>
  stop(id: string): Promise<BackgroundTask | undefined>
}
