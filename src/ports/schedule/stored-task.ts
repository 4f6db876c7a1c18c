import {
  MISSED_RUN_POLICIES,
  type MissedRunPolicy,
  type ScheduledRun,
  type ScheduledRunState,
} from '../../contract/ports/schedule.js'
import type { TaskTimes } from '../../shared/cron-times.js'
import { isRecord } from '../../shared/is-record.js'

/** A run in the file. */
export interface StoredRun extends ScheduledRun {
  /** The process that runs it, as text; only while it is running. */
  readonly owner?: string
  /** How often it was started. More than once if a process ended in the middle. */
  readonly attempts: number
}

/** A durable task in the file. */
export interface StoredTask extends TaskTimes {
  readonly id: string
  readonly prompt: string
  readonly ifMissed: MissedRunPolicy
  /** Who wrote the prompt: the user on the command line, or a model or another machine. */
  readonly origin: 'user' | 'other'
  /** Times until then have a run, or were skipped. Milliseconds since 1970. */
  readonly handledUntil: number
  /** The latest runs, oldest first. */
  readonly runs: readonly StoredRun[]
  /** Set when there is no further run. */
  readonly endedAt?: number
  /** The request that created the task, so that a repeated request creates no second one. */
  readonly key?: string
}

/** The content of a project's schedule file. */
export interface Schedule {
  readonly projectRoot: string
  readonly nextId: number
  readonly tasks: readonly StoredTask[]
}

/** Parses a schedule file. Undefined if it is damaged: no part of it is guessed. */
export function parseSchedule(text: string): Schedule | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || !Array.isArray(value.tasks)) return undefined
  const { projectRoot, nextId, tasks } = value
  if (!isString(projectRoot) || !Number.isSafeInteger(nextId) || !tasks.every(isStoredTask)) return undefined
  return { projectRoot, nextId: nextId as number, tasks }
}

const STATES: readonly ScheduledRunState[] = ['running', 'delivered', 'completed', 'failed', 'skipped']

function isStoredTask(value: unknown): value is StoredTask {
  return (
    isRecord(value) &&
    [value.id, value.prompt, value.timezone].every(isString) &&
    [value.cron, value.key].every(isOptional(isString)) &&
    [value.runAt, value.endedAt].every(isOptional(Number.isFinite)) &&
    (value.cron === undefined) !== (value.runAt === undefined) &&
    typeof value.recurring === 'boolean' &&
    (value.origin === 'user' || value.origin === 'other') &&
    MISSED_RUN_POLICIES.some((policy) => policy === value.ifMissed) &&
    Number.isFinite(value.handledUntil) &&
    Array.isArray(value.runs) &&
    value.runs.every(isStoredRun)
  )
}

function isStoredRun(value: unknown): value is StoredRun {
  return (
    isRecord(value) &&
    [value.due, value.missedCount, value.attempts].every(Number.isFinite) &&
    STATES.some((state) => state === value.state) &&
    [value.session, value.detail, value.owner].every(isOptional(isString))
  )
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isOptional(isExpected: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isExpected(value)
}
