import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { MAX_SCHEDULED_PROMPT_CHARS, type NewScheduledTask } from '../../contract/ports/schedule.js'
import { findCronProblem, getLocalZone } from '../../shared/cron-times.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../system/processes/process-identity.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import {
  addTask,
  type ClaimedRun,
  claimRuns,
  finishRun,
  MAX_TASKS,
  passRun,
  type RunName,
  releaseRun,
  removeTask,
} from './schedule-changes.js'
import { getSchedulesRoot } from './schedule-folder.js'
import { parseSchedule, type Schedule, type StoredRun, type StoredTask } from './stored-task.js'

const FILE_NAME = 'schedule.json'
const MAX_FILE_BYTES = 32 * 1024 * 1024

/** Opens the durable tasks of every project that has some. */
export function openAllSchedules(home: string): readonly ScheduleStore[] {
  const root = getSchedulesRoot(home)
  let names: readonly string[]
  try {
    names = readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    // No task has been created yet.
    return []
  }
  return names.map((name) => new ScheduleStore(join(root, name)))
}

/** The durable tasks of a project, in a file that all processes share. Every change is made under its lock. */
export class ScheduleStore {
  readonly folder: string
  readonly #file: string
  readonly #projectRoot: string

  /** Without the project, only a schedule that exists can be used. */
  constructor(folder: string, projectRoot = '') {
    this.folder = folder
    this.#file = join(folder, FILE_NAME)
    this.#projectRoot = projectRoot
  }

  /** Throws a `ToolCallError` if the file is damaged. It is never replaced: its tasks may still be recovered by hand. */
  read(): Schedule {
    const read = readRegularText(this.#file, { maxBytes: MAX_FILE_BYTES })
    if (read.kind === 'absent') return { projectRoot: this.#projectRoot, nextId: 1, tasks: [] }
    const schedule = read.kind === 'found' ? parseSchedule(read.content) : undefined
    if (schedule === undefined)
      throw refuse(`The schedule ${this.#file} cannot be read. Move it away to start a new one.`)
    return schedule
  }

  async create(task: NewScheduledTask, origin: StoredTask['origin']): Promise<StoredTask> {
    const { cron, prompt, recurring, timezone = getLocalZone(), ifMissed = 'run_once' } = task
    const now = Date.now()
    const problem = findCronProblem(cron, timezone, now)
    if (problem !== undefined) throw refuse(problem)
    return await this.#add({ cron, prompt, recurring, timezone, ifMissed, origin, handledUntil: now }, now)
  }

  /** Creates a task that runs once at a moment, which may be now. */
  async createOnce(prompt: string, runAt: number, key?: string): Promise<StoredTask> {
    const times = { recurring: false, runAt, timezone: getLocalZone() }
    const task = { ...times, prompt, ifMissed: 'run_once', origin: 'other' } as const
    return await this.#add({ ...task, handledUntil: runAt - 1, ...(key !== undefined && { key }) }, Date.now())
  }

  async #add(task: Omit<StoredTask, 'id' | 'runs'>, now: number): Promise<StoredTask> {
    if (task.prompt.length > MAX_SCHEDULED_PROMPT_CHARS)
      throw refuse(
        `The prompt has ${task.prompt.length} characters; at most ${MAX_SCHEDULED_PROMPT_CHARS} are possible.`,
      )
    return await this.#change((schedule) => {
      const openTasks = schedule.tasks.filter(({ endedAt }) => endedAt === undefined)
      if (openTasks.length >= MAX_TASKS)
        throw refuse(`The project has ${openTasks.length} scheduled tasks, the maximum. Delete some first.`)
      const added = addTask(schedule, task, now)
      return { schedule: added.schedule, result: added.task }
    })
  }

  async remove(id: string): Promise<StoredTask | undefined> {
    return await this.#change((schedule) => {
      const removed = removeTask(schedule, id)
      return { schedule: removed.schedule, result: removed.task }
    })
  }

  /** Whether there is something to claim, judged without the lock. */
  hasWork(now: number): boolean {
    const schedule = this.read()
    return claimRuns(schedule, this.#claimant(now, 1)).schedule !== schedule
  }

  /** Claims the runs that are due for this process. */
  async claim(now: number, maxClaims: number): Promise<readonly ClaimedRun[]> {
    return await this.#change((schedule) => {
      const claimed = claimRuns(schedule, this.#claimant(now, maxClaims))
      return { schedule: claimed.schedule, result: claimed.claims }
    })
  }

  /** Takes a run over from the process that claimed it. Undefined if it does not own the run any more. */
  async takeFrom(owner: string, name: RunName): Promise<ClaimedRun | undefined> {
    return await this.#change((schedule) => {
      const passed = passRun(schedule, name, { from: owner, to: formatIdentity() })
      return { schedule: passed?.schedule ?? schedule, result: passed?.claim }
    })
  }

  /** Records the end of a run of this process. */
  async finish(name: RunName, end: Pick<StoredRun, 'state' | 'detail'>): Promise<void> {
    await this.#change((schedule) => ({
      schedule: finishRun(schedule, { ...name, owner: formatIdentity(), now: Date.now() }, end),
      result: undefined,
    }))
  }

  /** Gives a run back that this process could not start. */
  async release(name: RunName): Promise<void> {
    await this.#change((schedule) => ({ schedule: releaseRun(schedule, name, formatIdentity()), result: undefined }))
  }

  #claimant(now: number, maxClaims: number) {
    return { now, maxClaims, owner: formatIdentity(), hasEnded, createSessionId: randomUUID }
  }

  async #change<T>(compute: (schedule: Schedule) => { schedule: Schedule; result: T }): Promise<T> {
    try {
      makeFolder(this.folder)
    } catch (error) {
      throw refuse(`The folder ${quote(this.folder)} for scheduled tasks cannot be created (${reasonOf(error)}).`)
    }
    return await withFileLock(this.#file, async (checkLockHeld) => {
      const before = this.read()
      const { schedule, result } = compute(before)
      if (schedule !== before) {
        // Durable, because a power failure must not start a run for a second time.
        const options = { mode: 0o600, isDurable: true, beforeRename: checkLockHeld }
        await writeFileAtomically(this.#file, `${JSON.stringify(schedule)}\n`, options)
      }
      return result
    })
  }
}

function refuse(message: string): ToolCallError {
  return new ToolCallError('tool_failed', message)
}
