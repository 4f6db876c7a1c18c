/** A prompt that runs at the times of a cron expression. */
export interface ScheduledTask {
  readonly id: string
  readonly cron: string
  readonly prompt: string
  readonly recurring: boolean
  readonly durable: boolean
}

/** Manages prompts that run at a later time. */
export interface SchedulePort {
  create(task: Omit<ScheduledTask, 'id'>): Promise<ScheduledTask>
  delete(id: string): Promise<boolean>
  list(): Promise<readonly ScheduledTask[]>
}
