import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import { FleetDatabase } from './database/fleet-database.js'
import { openClient } from './engine/fleet-engine.js'
import { decodeStep } from './engine/run-journal.js'
import { QuestionStore } from './questions/question-store.js'
import { BodyStore } from './runs/body-store.js'
import { FleetError, isFinal, parseSubmission, type Submission } from './runs/run-spec.js'
import { insertRun, type Run, RunStore } from './runs/run-store.js'
import { ScheduleStore } from './schedules/schedule-store.js'

/** A step of a run, for people. */
export interface StepInfo {
  readonly step: number
  readonly name: string
  readonly bytes: number
  readonly at: string | undefined
}

/** What one tenant can do with a fleet. It sees and changes only its own runs, questions and schedules. */
export class FleetClient {
  readonly tenant: string
  readonly runs: RunStore
  readonly questions: QuestionStore
  readonly schedules: ScheduleStore
  readonly #database: FleetDatabase
  readonly #bodies: BodyStore
  readonly #engine: () => Promise<DBOSClient>

  constructor(database: FleetDatabase, tenant: string, engine: () => Promise<DBOSClient>) {
    this.tenant = tenant
    this.runs = new RunStore(database, tenant)
    this.questions = new QuestionStore(database, tenant)
    this.schedules = new ScheduleStore(database, tenant)
    this.#database = database
    this.#bodies = new BodyStore(database, tenant)
    this.#engine = engine
  }

  async submit(submission: Submission): Promise<{ readonly id: string; readonly isNew: boolean }> {
    return this.runs.submit(parseSubmission(submission))
  }

  /** Ends a run for good. A worker that executes it stops, and can record nothing more. */
  async cancel(id: string): Promise<void> {
    await this.runs.requireChange(id, ['queued', 'running', 'waiting', 'paused'], 'cancelled', 'cancelled')
    await this.#cancelWorkflow(id)
  }

  /** Takes a run out of the queue or off its worker, until `resume`. */
  async pause(id: string): Promise<void> {
    await this.runs.requireChange(id, ['queued', 'running', 'waiting'], 'paused', 'paused')
  }

  async resume(id: string): Promise<void> {
    await this.runs.requireChange(id, ['paused'], 'queued', 'resumed')
  }

  /** Submits the same work again, as a new run. */
  async retry(id: string): Promise<{ readonly id: string }> {
    const { spec, priority, state } = await this.runs.get(id)
    if (!isFinal(state))
      throw new FleetError('conflict', `Run ${id} is ${state}; only a run that has ended is retried.`)
    return this.runs.submit({ spec, priority })
  }

  /** Starts a new run with the first `step` steps of another one. It continues from there. */
  async fork(id: string, step: number): Promise<{ readonly id: string }> {
    const { spec, priority } = await this.runs.get(id)
    const steps = await this.listSteps(id)
    const kept = steps.slice(0, step).filter(({ name }) => name !== 'end')
    if (!Number.isInteger(step) || step < 1 || step > steps.length)
      throw new FleetError('invalid', `Run ${id} has the steps 1 to ${steps.length}; ${step} is not one of them.`)
    const engine = await this.#engine()
    const forkedId = await engine.forkWorkflow(id, kept.length, { queueName: FORK_QUEUE })
    // The workflow exists, so the first worker must continue it instead of starting it.
    const origin = { id: forkedId, forkedFrom: id, attempt: 1 }
    await insertRun(this.#database, this.tenant, { spec, priority }, origin)
    await this.#database.notify('queue')
    return { id: forkedId }
  }

  /** Lists the steps of a run: what it has done, and how much of the journal that takes. */
  async listSteps(id: string): Promise<readonly StepInfo[]> {
    const steps = await this.#loadSteps(id)
    return steps.map(({ name, output, completedAtEpochMs }, index) => ({
      ...{ step: index + 1, name, bytes: Buffer.byteLength(String(output)) },
      at: completedAtEpochMs === undefined ? undefined : new Date(completedAtEpochMs).toISOString(),
    }))
  }

  /** Returns the lines of the transcript from line `from` on, as `haft -p` would have written them. */
  async readTranscript(id: string, { from = 0 }: { readonly from?: number } = {}): Promise<readonly string[]> {
    const steps = await this.#loadSteps(id)
    const entries = await Promise.all(steps.map(({ output }) => decodeStep(String(output), this.#bodies.load)))
    const lines = entries.flat().flatMap((entry) => {
      if (entry.type !== 'line' || entry.agentId !== undefined) return []
      // Paths of the run's folder are stored as control characters.
      return [entry.line.replaceAll('\u0001', '/run').replaceAll('\u0002', 'project')]
    })
    return lines.slice(from)
  }

  async readBody(hash: string): Promise<Buffer> {
    return this.#bodies.load(hash)
  }

  /** Resolves when the run has ended, or waits for a person. */
  async waitFor(id: string, signal: AbortSignal): Promise<Run> {
    const ended = new AbortController()
    const both = AbortSignal.any([signal, ended.signal])
    let isChecking: Promise<void> = Promise.resolve()
    let found = await this.runs.get(id)
    const check = () => {
      isChecking = isChecking.then(async () => {
        found = await this.runs.get(id)
        if (isFinal(found.state) || found.state === 'waiting') ended.abort()
      })
      isChecking.catch(() => ended.abort())
    }
    const timer = setInterval(check, 1_000)
    await this.#database.listen(check, both)
    clearInterval(timer)
    await isChecking
    return found
  }

  async #loadSteps(id: string) {
    await this.runs.get(id)
    const engine = await this.#engine()
    return (await engine.listWorkflowSteps(id).catch(() => undefined)) ?? []
  }

  async #cancelWorkflow(id: string): Promise<void> {
    const engine = await this.#engine()
    // A run that no worker has begun has no workflow.
    await engine.cancelWorkflow(id).catch(() => undefined)
  }
}

/** No worker listens to this queue: a forked run waits in the queue of the fleet, which applies the limits. */
const FORK_QUEUE = 'haft-forked'

/** An open connection to a fleet. */
export interface Fleet {
  readonly database: FleetDatabase
  /** Returns what one tenant can do. */
  tenant(name: string): FleetClient
  close(): Promise<void>
}

/** Connects to a fleet by the address of its database. */
export async function openFleet(databaseUrl: string): Promise<Fleet> {
  return createFleet(await FleetDatabase.open(databaseUrl))
}

/** Submits one run and closes the connection. Use `openFleet` for more. */
export async function submit(
  submission: Submission,
  { databaseUrl, tenant = 'default' }: { readonly databaseUrl: string; readonly tenant?: string },
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const fleet = await openFleet(databaseUrl)
  try {
    return await fleet.tenant(tenant).submit(submission)
  } finally {
    await fleet.close()
  }
}

/** Returns a fleet on an open database. Closing the fleet closes the database. */
export function createFleet(database: FleetDatabase): Fleet {
  let opening: Promise<DBOSClient> | undefined
  const engine = () => {
    opening ??= openClient(database.url)
    return opening
  }
  return {
    database,
    tenant: (name) => new FleetClient(database, name, engine),
    async close() {
      const client = await opening
      await client?.destroy()
      await database.close()
    },
  }
}
