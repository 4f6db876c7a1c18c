import type { ScheduledTask } from '../../contract/ports/schedule.js'
import { findDueTimes, findNextTime } from '../../shared/cron-times.js'
import { shortenText } from '../../shared/cut-text.js'
import type { Schedule, StoredRun, StoredTask } from './stored-task.js'

/** Names one run of a task. */
export interface RunName {
  readonly id: string
  readonly due: number
}

/** A run that a process must start. */
export interface ClaimedRun extends RunName {
  readonly task: StoredTask
  readonly run: StoredRun
}

interface Claimant {
  readonly now: number
  /** The process that starts the runs. */
  readonly owner: string
  /** Whether the process of a run has certainly ended. */
  readonly hasEnded: (owner: string) => boolean
  readonly createSessionId: () => string
  /** The maximum number of runs to claim. Further runs remain due. */
  readonly maxClaims: number
}

/** The maximum number of open tasks: with more, nobody would know what runs. */
export const MAX_TASKS = 200
/** A run that starts later than this was missed. */
export const LATE_AFTER_MS = 5 * 60_000
/** A run whose process ended this many times before the run was finished counts as failed. */
const MAX_ATTEMPTS = 3
const MAX_RUNS_KEPT = 20
const MAX_ENDED_AGE_MS = 30 * 24 * 60 * 60_000
const MAX_ENDED_TASKS = 100
const MAX_ENDED_PROMPT_CHARS = 200

/** Adds a task. A task with the same key is returned instead of a second one. */
export function addTask(
  schedule: Schedule,
  task: Omit<StoredTask, 'id' | 'runs'>,
  now: number,
): { readonly schedule: Schedule; readonly task: StoredTask } {
  const sameTask = task.key === undefined ? undefined : schedule.tasks.find(({ key }) => key === task.key)
  if (sameTask !== undefined) return { schedule, task: sameTask }
  const id = String(schedule.nextId)
  const addedTask: StoredTask = { ...task, id, runs: [] }
  const tasks = [...keepRecent(schedule.tasks, now), addedTask]
  return { schedule: { ...schedule, nextId: schedule.nextId + 1, tasks }, task: addedTask }
}

/** Removes tasks that ended long ago, so that the file stays small. */
function keepRecent(tasks: readonly StoredTask[], now: number): readonly StoredTask[] {
  const endedTasks = tasks.filter(({ endedAt }) => endedAt !== undefined && now - endedAt < MAX_ENDED_AGE_MS)
  const keptTasks = new Set(endedTasks.slice(-MAX_ENDED_TASKS))
  return tasks.flatMap((task) => {
    if (task.endedAt === undefined) return [task]
    return keptTasks.has(task) ? [{ ...task, prompt: shortenText(task.prompt, MAX_ENDED_PROMPT_CHARS) }] : []
  })
}

/**
 * Claims every run that is due, and those whose process ended before it could finish them. A task never has two runs
 * at the same time: times that pass during a run count as missed. Returns the same schedule if nothing is due.
 */
export function claimRuns(
  schedule: Schedule,
  claimant: Claimant,
): { readonly schedule: Schedule; readonly claims: readonly ClaimedRun[] } {
  const claims: ClaimedRun[] = []
  const tasks = schedule.tasks.map((task) => {
    if (claims.length >= claimant.maxClaims) return task
    const claimedTask = claimTask(task, claimant)
    if (claimedTask === task) return task
    const run = claimedTask.runs.at(-1)
    if (run?.state === 'running') claims.push({ id: task.id, due: run.due, task: claimedTask, run })
    return claimedTask
  })
  const isChanged = tasks.some((task, index) => task !== schedule.tasks[index])
  return { schedule: isChanged ? { ...schedule, tasks } : schedule, claims }
}

function claimTask(task: StoredTask, { now, owner, hasEnded, createSessionId }: Claimant): StoredTask {
  const lastRun = task.runs.at(-1)
  if (lastRun?.state === 'running') {
    if (lastRun.owner !== undefined && !hasEnded(lastRun.owner)) return task
    const { attempts } = lastRun
    if (attempts >= MAX_ATTEMPTS)
      return endRun(task, lastRun.due, { state: 'failed', detail: `its process ended ${attempts} times` }, now)
    return replaceRun(task, { ...lastRun, owner, attempts: attempts + 1 })
  }
  if (task.endedAt !== undefined) return task
  const dueTimes = findDueTimes(task, { after: task.handledUntil, until: now })
  if (dueTimes === undefined) return task
  const { latest: due, count } = dueTimes
  const handledTask = { ...task, handledUntil: due }
  const isMissed = now - due > LATE_AFTER_MS
  if (isMissed && task.ifMissed === 'skip') {
    const detail = count === 1 ? 'nothing could run it' : `nothing could run it and ${count - 1} earlier ones`
    const skippedTask = addRun(handledTask, { due, state: 'skipped', missedCount: count - 1, attempts: 0, detail })
    return task.recurring ? skippedTask : { ...skippedTask, endedAt: now }
  }
  const run = { due, state: 'running', missedCount: count - 1, session: createSessionId(), owner, attempts: 1 } as const
  return addRun(handledTask, run)
}

/**
 * Passes a run from one process to another. Undefined if the first process no longer owns it, so the second must not
 * start it.
 */
export function passRun(
  schedule: Schedule,
  { id, due }: RunName,
  { from, to }: { readonly from: string; readonly to: string },
): { readonly schedule: Schedule; readonly claim: ClaimedRun } | undefined {
  const task = schedule.tasks.find((other) => other.id === id)
  const run = task?.runs.find((other) => other.due === due)
  if (task === undefined || run?.state !== 'running' || run.owner !== from) return undefined
  const passedRun = { ...run, owner: to }
  const passedTask = replaceRun(task, passedRun)
  return { schedule: replaceTask(schedule, passedTask), claim: { id, due, task: passedTask, run: passedRun } }
}

/** Records the end of a run, unless another process has taken it over. */
export function finishRun(
  schedule: Schedule,
  { id, due, owner, now }: RunName & Pick<Claimant, 'owner' | 'now'>,
  end: Pick<StoredRun, 'state' | 'detail'>,
): Schedule {
  const task = schedule.tasks.find((other) => other.id === id)
  const run = task?.runs.find((other) => other.due === due)
  if (task === undefined || run?.state !== 'running' || run.owner !== owner) return schedule
  return replaceTask(schedule, endRun(task, due, end, now))
}

/** Gives a run back that a process claimed and could not start. Another attempt follows. */
export function releaseRun(schedule: Schedule, { id, due }: RunName, owner: string): Schedule {
  const task = schedule.tasks.find((other) => other.id === id)
  const run = task?.runs.find((other) => other.due === due)
  if (task === undefined || run?.state !== 'running' || run.owner !== owner) return schedule
  const { owner: _, ...ownerlessRun } = run
  return replaceTask(schedule, replaceRun(task, ownerlessRun))
}

/** Removes a task. Its running run is not stopped. */
export function removeTask(
  schedule: Schedule,
  id: string,
): { readonly schedule: Schedule; readonly task: StoredTask | undefined } {
  const task = schedule.tasks.find((other) => other.id === id && other.endedAt === undefined)
  return { schedule: { ...schedule, tasks: schedule.tasks.filter((other) => other !== task) }, task }
}

/** Converts a durable task to the form that tools and people see. */
export function toScheduledTask(task: StoredTask): ScheduledTask {
  const { id, cron = '', prompt, recurring, timezone, ifMissed, runs } = task
  const nextRun = task.endedAt === undefined ? findNextTime(task, task.handledUntil) : undefined
  return {
    ...{ id, cron, prompt, recurring, durable: true, timezone, ifMissed },
    ...(nextRun !== undefined && { nextRun }),
    runs: runs.map(({ owner: _, attempts: __, ...run }) => run),
  }
}

function endRun(task: StoredTask, due: number, end: Pick<StoredRun, 'state' | 'detail'>, now: number): StoredTask {
  const run = task.runs.find((other) => other.due === due)
  if (run === undefined) return task
  const { owner: _, ...ownerlessRun } = run
  const endedTask = replaceRun(task, { ...ownerlessRun, ...end })
  return task.recurring ? endedTask : { ...endedTask, endedAt: now }
}

function addRun(task: StoredTask, run: StoredRun): StoredTask {
  return { ...task, runs: [...task.runs, run].slice(-MAX_RUNS_KEPT) }
}

function replaceRun(task: StoredTask, run: StoredRun): StoredTask {
  return { ...task, runs: task.runs.map((other) => (other.due === run.due ? run : other)) }
}

function replaceTask(schedule: Schedule, task: StoredTask): Schedule {
  return { ...schedule, tasks: schedule.tasks.map((other) => (other.id === task.id ? task : other)) }
}
