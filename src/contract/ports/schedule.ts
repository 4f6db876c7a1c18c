export interface ScheduledTask {
  readonly id: string
  readonly cron: string
  readonly prompt: string
  readonly recurring: boolean
  readonly durable: boolean
}

/** Work that starts by itself later. */
export interface SchedulePort {
  create(task: Omit<ScheduledTask, 'id'>): Promise<ScheduledTask>
  delete(id: string): Promise<boolean>
  list(): Promise<readonly ScheduledTask[]>
}
