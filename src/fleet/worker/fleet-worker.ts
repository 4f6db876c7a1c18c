import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { reasonOf } from '../../shared/reason-of.js'
import { delay, isDoneWithin } from '../../shared/waiting.js'
import { type Execution, FleetEngine } from '../engine/fleet-engine.js'
import { type ClaimedRun, claimRuns } from '../runs/claim-runs.js'
import { fireDueSchedules } from '../schedules/fire-schedules.js'
import { executeRun, ParkedError, type RunEnvironment, type RunOutcome } from './execute-run.js'
import { DEFAULT_LEASE_MS, Lease, seizeExpired } from './lease.js'

const DEFAULT_SLOTS = 4
const DEFAULT_DRAIN_MS = 30_000
/** How often a worker looks for work, dead workers and due schedules if nobody tells it. */
const LOOK_INTERVAL_MS = 500
/** How soon a run that could not be started is tried again. */
const RETRY_DELAY_S = 1

export interface WorkerOptions extends Omit<RunEnvironment, 'worker'> {
  /** How many runs this worker executes at the same time. */
  readonly slots?: number | undefined
  readonly leaseMs?: number | undefined
  /** How long runs may continue after `drain` before they are left to other workers. */
  readonly drainMs?: number | undefined
}

interface ActiveRun {
  readonly run: ClaimedRun
  readonly controller: AbortController
  readonly ended: Promise<void>
  end(): void
}

/** Why a worker ended: it was asked to, or it could no longer prove that it lives. */
export type WorkerEnd = { readonly reason: 'drained' } | { readonly reason: 'lost'; readonly detail: string }

/** Executes runs of the queue until it is drained or loses its lease. */
export class FleetWorker {
  readonly id = randomUUID()
  readonly #options: WorkerOptions
  readonly #active = new Map<string, ActiveRun>()
  readonly #ending = new AbortController()
  #engine: FleetEngine | undefined
  #lease: Lease | undefined
  #lost: string | undefined
  #isDraining = false
  #isLooking = false
  #shouldLookAgain = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  get slots(): number {
    return this.#options.slots ?? DEFAULT_SLOTS
  }

  /** Works until `signal` aborts, then drains. */
  async run(signal: AbortSignal): Promise<WorkerEnd> {
    const { database, leaseMs = DEFAULT_LEASE_MS, log } = this.#options
    this.#engine = await FleetEngine.launch({
      ...{ url: database.url, worker: this.id, slots: this.slots, log },
      work: (execution) => this.#work(execution),
      migrate: (work) => database.withMigrationLock(work),
    })
    this.#lease = await Lease.take(database, {
      ...{ worker: this.id, host: hostname(), slots: this.slots, leaseMs },
      onLost: (reason) => this.#lose(reason),
    })
    log(`worker ${this.id} on ${hostname()} has ${this.slots} slots`)
    const listening = database.listen((payload) => this.#onPayload(payload), this.#ending.signal)
    const stopped = AbortSignal.any([signal, this.#ending.signal])
    while (!stopped.aborted) {
      await this.#look()
      await delay(LOOK_INTERVAL_MS, stopped)
    }
    if (this.#lost === undefined) await this.#drain()
    this.#ending.abort()
    await listening
    if (this.#lost !== undefined) return { reason: 'lost', detail: this.#lost }
    await this.#lease.release()
    await this.#engine.shutdown()
    return { reason: 'drained' }
  }

  #onPayload(payload: string): void {
    if (payload === 'queue') void this.#look()
    else if (payload.startsWith('run ')) void this.#checkOwnRuns()
  }

  /** Looks for work. A request during a look leads to another one afterwards. */
  async #look(): Promise<void> {
    if (this.#isLooking) {
      this.#shouldLookAgain = true
      return
    }
    this.#isLooking = true
    try {
      do {
        this.#shouldLookAgain = false
        await this.#lookOnce()
      } while (this.#shouldLookAgain && !this.#ending.signal.aborted)
    } catch (error) {
      this.#options.log(`the queue could not be read: ${reasonOf(error)}`)
    } finally {
      this.#isLooking = false
    }
  }

  async #lookOnce(): Promise<void> {
    const { database, log } = this.#options
    if (this.#isDraining || this.#lost !== undefined) return
    await this.#checkOwnRuns()
    await this.#returnUnknownRuns()
    await fireDueSchedules(database)
    if (this.#lease?.maySeizeOthers === true) {
      const seized = await seizeExpired(database)
      if (seized.length > 0) log(`${seized.length} runs of workers that have ended are queued again`)
    }
    for (const run of await claimRuns(database, this.id, this.slots - this.#active.size)) this.#begin(run)
  }

  /** Puts runs back into the queue that were claimed although the answer of the database was lost. */
  async #returnUnknownRuns(): Promise<void> {
    await this.#options.database.query(
      `UPDATE haft_fleet.runs SET state = 'queued', worker = NULL WHERE worker = $1 AND state = 'running' AND NOT id = ANY($2)`,
      [this.id, [...this.#active.keys()]],
    )
  }

  /** Stops runs that were paused or cancelled, or that belong to another worker now. */
  async #checkOwnRuns(): Promise<void> {
    if (this.#active.size === 0) return
    const kept = await this.#options.database.query<{ id: string }>(
      `SELECT id FROM haft_fleet.runs WHERE id = ANY($1) AND state = 'running' AND worker = $2`,
      [[...this.#active.keys()], this.id],
    )
    const keptIds = new Set(kept.map(({ id }) => id))
    for (const [id, { controller }] of this.#active) if (!keptIds.has(id)) controller.abort('stopped')
  }

  #begin(run: ClaimedRun): void {
    const { promise, resolve } = createDeferred()
    const controller = new AbortController()
    this.#active.set(run.id, { run, controller, ended: promise, end: resolve })
    void this.#hand(run).catch(async (error: unknown) => {
      this.#options.log(`run ${run.id} could not be started: ${reasonOf(error)}`)
      await this.#setAside(run, 'queued', RETRY_DELAY_S).catch(() => undefined)
      this.#end(run.id)
    })
  }

  /** Gives a run to the engine, which calls `#work`. */
  async #hand(run: ClaimedRun): Promise<void> {
    if (run.attempt === 1) {
      await this.#engine?.start(run.id)
      return
    }
    const ended = await this.#engine?.resume(run.id)
    if (ended === undefined) return
    await this.#finish(run, ended.outcome as RunOutcome)
    this.#end(run.id)
  }

  async #work(execution: Execution): Promise<RunOutcome> {
    const active = this.#active.get(execution.runId)
    // The run was claimed by another worker since.
    if (active === undefined) throw execution.createHandOver('unclaimed')
    const { run, controller } = active
    const environment = { ...this.#options, worker: this.id }
    try {
      const outcome = await executeRun(environment, run, execution, controller.signal)
      await this.#finish(run, outcome)
      return outcome
    } catch (error) {
      const isParked = error instanceof Error && error.cause instanceof ParkedError
      if (isParked) await this.#park(run)
      else if (this.#isDraining && this.#lost === undefined) await this.#setAside(run, 'queued')
      throw error
    } finally {
      this.#end(run.id)
    }
  }

  #end(id: string): void {
    const active = this.#active.get(id)
    this.#active.delete(id)
    active?.end()
    void this.#look()
  }

  async #finish(run: ClaimedRun, outcome: RunOutcome): Promise<void> {
    const { state, endReason, answer, problem, results } = outcome
    await this.#options.database.query(
      `UPDATE haft_fleet.runs SET state = $3, ended_at = clock_timestamp(), end_reason = $4, answer = $5, problem = $6, results = $7
       WHERE id = $1 AND worker = $2 AND state = 'running'`,
      [run.id, this.id, state, endReason, answer, problem, results === undefined ? null : JSON.stringify(results)],
    )
    await this.#options.database.notify(`ended ${run.id}`)
  }

  /** The run waits without a worker. If the answer has arrived meanwhile, it goes back into the queue at once. */
  async #park(run: ClaimedRun): Promise<void> {
    await this.#setAside(run, 'waiting')
    await this.#options.database.query(
      `UPDATE haft_fleet.runs SET state = 'queued', queued_at = now() WHERE id = $1 AND state = 'waiting'
         AND NOT EXISTS (SELECT 1 FROM haft_fleet.questions WHERE run = $1 AND answer IS NULL AND NOT is_closed)`,
      [run.id],
    )
    await this.#options.database.notify('queue')
  }

  async #setAside(run: ClaimedRun, state: 'queued' | 'waiting', delaySeconds = 0): Promise<void> {
    await this.#options.database.query(
      `UPDATE haft_fleet.runs SET state = $3, worker = NULL, queued_at = now(), not_before = now() + make_interval(secs => $4)
       WHERE id = $1 AND worker = $2 AND state = 'running'`,
      [run.id, this.id, state, delaySeconds],
    )
    await this.#options.database.notify('queue')
  }

  /** Takes no more runs, waits for those that are active, and leaves the rest to others. */
  async #drain(): Promise<void> {
    const { database, drainMs = DEFAULT_DRAIN_MS, log } = this.#options
    this.#isDraining = true
    await database
      .query('UPDATE haft_fleet.workers SET is_draining = true WHERE id = $1', [this.id])
      .catch(() => undefined)
    const allEnded = () => Promise.all([...this.#active.values()].map(({ ended }) => ended))
    if (this.#active.size > 0) log(`waiting for ${this.#active.size} runs to end`)
    if (await isDoneWithin(drainMs, allEnded(), this.#ending.signal)) return
    for (const { controller } of this.#active.values()) controller.abort('drained')
    await allEnded()
  }

  #lose(reason: string): void {
    this.#lost = reason
    // Ends the commands of all runs. Nothing that they still do can be recorded.
    for (const { controller } of this.#active.values()) controller.abort('lease lost')
    this.#ending.abort()
  }
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
