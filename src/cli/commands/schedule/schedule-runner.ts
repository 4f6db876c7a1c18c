import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ClaimedRun } from '../../../ports/schedule/schedule-changes.js'
import type { ScheduleStore } from '../../../ports/schedule/schedule-store.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { delay } from '../../../shared/waiting.js'
import { makeFolder } from '../../../system/make-folder.js'
import { formatIdentity } from '../../../system/processes/process-identity.js'

export interface ScheduleRunnerOptions {
  /** The schedules to run, read before every look at the clock. */
  readonly schedules: () => readonly ScheduleStore[]
  /** How to start this program. */
  readonly program: readonly string[]
  /** Options of `haft -p` for every run. */
  readonly runOptions: readonly string[]
  /** How many runs may be active at the same time. */
  readonly maxRuns: number
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Tells people what happens, one line each. */
  readonly report: (line: string) => void
}

const DEFAULT_POLL_MS = 1_000
const MAX_LOGS_KEPT = 50

/**
 * Starts scheduled runs when they are due, each as a process of its own. The process takes the run over from this one, so
 * that it continues if this one ends, and no other process starts the run a second time.
 */
export class ScheduleRunner {
  readonly #options: ScheduleRunnerOptions
  readonly #active = new Set<Promise<void>>()
  /** The last problem of each schedule, so that it is reported once. */
  readonly #problems = new Map<string, string>()
  #starting: Promise<void> = Promise.resolve()

  constructor(options: ScheduleRunnerOptions) {
    this.#options = options
  }

  /** Runs until the signal is aborted. Runs that have started continue. */
  async run(signal: AbortSignal, pollMs = DEFAULT_POLL_MS): Promise<void> {
    while (!signal.aborted) {
      await this.startDue()
      await delay(pollMs, signal)
    }
  }

  /** Starts what is due now, and waits for all runs to end. */
  async runOnce(): Promise<void> {
    await this.startDue()
    while (this.#active.size > 0) {
      await Promise.all(this.#active)
      await this.startDue()
    }
  }

  /** Starts what is due now. One look at a time, so that two of them do not start more runs than allowed. */
  startDue(): Promise<void> {
    this.#starting = this.#starting.then(() => this.#startDueNow())
    return this.#starting
  }

  async #startDueNow(): Promise<void> {
    for (const store of this.#options.schedules()) {
      if (this.#active.size >= this.#options.maxRuns) return
      try {
        if (!store.hasWork(Date.now())) continue
        const { projectRoot } = store.read()
        const claims = await store.claim(Date.now(), this.#options.maxRuns - this.#active.size)
        for (const claim of claims) this.#start(store, projectRoot, claim)
        this.#problems.delete(store.folder)
      } catch (error) {
        const problem = reasonOf(error)
        if (this.#problems.get(store.folder) !== problem) this.#options.report(problem)
        this.#problems.set(store.folder, problem)
      }
    }
  }

  #start(store: ScheduleStore, projectRoot: string, claim: ClaimedRun): void {
    const { id, run } = claim
    const { report } = this.#options
    const repeated = run.attempts > 1 ? ', again because its process ended' : ''
    report(`task ${id} in ${projectRoot}: started, session ${run.session}${repeated}`)
    const ended = this.#follow(store, projectRoot, claim).then(
      (line) => report(`task ${id} in ${projectRoot}: ${line}`),
      (error: unknown) => report(`task ${id} in ${projectRoot}: ${reasonOf(error)}`),
    )
    this.#active.add(ended)
    void ended.finally(() => this.#active.delete(ended))
  }

  /** Runs the process to its end, and returns how the run ended. */
  async #follow(store: ScheduleStore, projectRoot: string, claim: ClaimedRun): Promise<string> {
    const { id, due } = claim
    const problem = existsSync(projectRoot)
      ? await this.#spawn(store, projectRoot, claim).catch(reasonOf)
      : 'the folder of the project does not exist'
    if (problem !== undefined) await store.finish({ id, due }, { state: 'failed', detail: problem })
    // If the process ended before it took the run over, the run is still that of this process.
    await store.release({ id, due })
    const task = store.read().tasks.find((other) => other.id === id)
    return describeEnd(task?.runs.find((other) => other.due === due))
  }

  /** Resolves when the process has ended, with the reason if it could not be started. */
  async #spawn(store: ScheduleStore, projectRoot: string, { id, due }: ClaimedRun): Promise<string | undefined> {
    const { program, runOptions, variables } = this.#options
    const [command = '', ...args] = program
    const log = openLog(store.folder, `${id}-${due}`)
    try {
      const child = spawn(
        command,
        [...args, 'schedule', 'exec', store.folder, id, String(due), formatIdentity(), '--', ...runOptions],
        // Detached, so that an interrupt in the terminal of this process does not end the run.
        { cwd: projectRoot, env: variables, stdio: ['ignore', log, log], detached: true },
      )
      return await new Promise((resolve) => {
        child.once('error', (error) => resolve(`it could not be started: ${error.message}`))
        child.once('exit', () => resolve(undefined))
      })
    } finally {
      closeSync(log)
    }
  }
}

function describeEnd(run: { readonly state: string; readonly detail?: string } | undefined): string {
  if (run === undefined) return 'ended'
  if (run.state === 'running') return 'its process ended before the run was finished'
  return run.detail === undefined ? run.state : `${run.state}: ${run.detail}`
}

/** Returns the program and arguments with which this program was started. */
export function findOwnProgram(): readonly string[] {
  return [process.execPath, process.argv[1] ?? '']
}

/** Returns the folder for the output of runs. */
export function getLogFolder(scheduleFolder: string): string {
  return join(scheduleFolder, 'logs')
}

/** Lists the logs of runs, oldest first. They are named after the task and the time at which the run was due. */
export function listLogs(folder: string): readonly string[] {
  const readDue = (name: string) => Number(/-(\d+)\.log$/.exec(name)?.[1] ?? 0)
  try {
    return readdirSync(folder).sort((a, b) => readDue(a) - readDue(b))
  } catch {
    // Nothing has run yet.
    return []
  }
}

function openLog(scheduleFolder: string, name: string): number {
  const folder = getLogFolder(scheduleFolder)
  makeFolder(folder)
  const oldLogs = listLogs(folder).slice(0, -MAX_LOGS_KEPT)
  // Another process may remove the same logs.
  for (const oldLog of oldLogs) rmSync(join(folder, oldLog), { force: true })
  return openSync(join(folder, `${name}.log`), 'a', 0o600)
}
