/** Longer prompts belong in a file that the prompt names. */
export const MAX_SCHEDULED_PROMPT_CHARS = 20_000

export const MISSED_RUN_POLICIES = ['run_once', 'skip'] as const

/** What happens to runs that were due while nothing could start them: one run for all of them, or none. */
export type MissedRunPolicy = (typeof MISSED_RUN_POLICIES)[number]

/** A prompt, and when it runs. */
export interface NewScheduledTask {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string
  readonly prompt: string
  /** Whether the task runs at every matching time, not only at the next one. */
  readonly recurring: boolean
  /** Whether the task survives the end of the session. */
  readonly durable: boolean
  /** An IANA time zone. Default: the zone of this machine. */
  readonly timezone?: string
  readonly ifMissed?: MissedRunPolicy
}

/**
 * How a run ended, or that it has not ended. A `delivered` run became part of an open session, which continues with it.
 */
export type ScheduledRunState = 'running' | 'delivered' | 'completed' | 'failed' | 'skipped'

/** One run of a task. */
export interface ScheduledRun {
  /** Milliseconds since 1970. */
  readonly due: number
  readonly state: ScheduledRunState
  /** The number of missed due times that this run replaces, besides its own. */
  readonly missedCount: number
  /** The session that ran the prompt. */
  readonly session?: string
  /** Why it failed or was skipped. */
  readonly detail?: string
}

/** A prompt that runs at the times of a cron expression. */
export interface ScheduledTask extends Required<NewScheduledTask> {
  readonly id: string
  /** Milliseconds since 1970; undefined if there is no further run. */
  readonly nextRun?: number
  /** The latest runs, oldest first. */
  readonly runs: readonly ScheduledRun[]
}

/** A prompt that is due in this session. */
export interface DuePrompt {
  readonly id: string
  readonly cron: string
  readonly prompt: string
  /** Milliseconds since 1970. */
  readonly due: number
}

/** Where each worker is, and the token that it accepts. */
export type Workers = Readonly<Record<string, { readonly url: string; readonly token?: string | undefined }>>

/** A run for a worker to start at once. */
export interface TriggeredRun {
  readonly prompt: string
  /** The name of a worker in the settings. Default: the schedule service of this machine. */
  readonly worker?: string
  /** Requests with the same key start one run only. */
  readonly key: string
}

/** Manages prompts that run at a later time or on another worker. A request that is not possible fails with a `ToolCallError`. */
export interface SchedulePort {
  create(task: NewScheduledTask): Promise<ScheduledTask>
  /** Deletes a task. Resolves to undefined if there is no task with this id. */
  delete(id: string): Promise<ScheduledTask | undefined>
  list(): Promise<readonly ScheduledTask[]>
  /** Starts a run on a worker. Resolves to a sentence that says where the run is. */
  trigger(run: TriggeredRun, options: { readonly signal: AbortSignal }): Promise<string>
}
