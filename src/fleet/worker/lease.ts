import { readMonotonicMs } from '../../shared/waiting.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import { STEP_LAYOUT } from '../engine/step-layout.js'

/** How long a worker may be silent before its runs go on elsewhere. */
export const DEFAULT_LEASE_MS = 6_000
/** How many heartbeats fit into a lease. */
const BEATS_PER_LEASE = 6

export interface LeaseOptions {
  readonly worker: string
  readonly host: string
  readonly slots: number
  readonly leaseMs: number
  /** Called once when this worker can no longer prove that it lives. It must stop everything it does. */
  readonly onLost: (reason: string) => void
}

/**
 * The lease of one worker: a row that it refreshes. Whoever finds an expired row removes it and puts its runs back into the queue. The worker
 * stops by itself before that, by a clock of its own that cannot be set.
 */
export class Lease {
  readonly #database: FleetDatabase
  readonly #options: LeaseOptions
  #timer: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined
  #aliveSince: number | undefined
  #isBeating = false
  #isOver = false

  private constructor(database: FleetDatabase, options: LeaseOptions) {
    this.#database = database
    this.#options = options
  }

  static async take(database: FleetDatabase, options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(database, options)
    const { worker, host, slots, leaseMs } = options
    const sentAt = readMonotonicMs()
    await database.query(
      `INSERT INTO haft_fleet.workers (id, host, slots, layout, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [worker, host, slots, STEP_LAYOUT, leaseMs / 1000],
    )
    lease.#renewed(sentAt)
    lease.#timer = setInterval(() => void lease.#beat(), leaseMs / BEATS_PER_LEASE)
    return lease
  }

  /**
   * Whether this worker has been in touch with the database for a whole lease. After an outage, every worker gets that time to
   * refresh its lease before another one may declare it dead.
   */
  get maySeizeOthers(): boolean {
    return this.#aliveSince !== undefined && readMonotonicMs() - this.#aliveSince >= this.#options.leaseMs
  }

  /** Gives the lease back. The runs of this worker must have ended or been handed over. */
  async release(): Promise<void> {
    this.#stop()
    await this.#database.query('DELETE FROM haft_fleet.workers WHERE id = $1', [this.#options.worker])
  }

  async #beat(): Promise<void> {
    if (this.#isBeating || this.#isOver) return
    this.#isBeating = true
    const sentAt = readMonotonicMs()
    try {
      const rows = await this.#database.query(
        'UPDATE haft_fleet.workers SET expires_at = now() + make_interval(secs => $2) WHERE id = $1 RETURNING id',
        [this.#options.worker, this.#options.leaseMs / 1000],
      )
      if (rows.length === 0) this.#lose('another worker has taken over its runs')
      else this.#renewed(sentAt)
    } catch {
      // The next heartbeat tries again; the deadline decides.
      this.#aliveSince = undefined
    } finally {
      this.#isBeating = false
    }
  }

  #renewed(sentAt: number): void {
    if (this.#isOver) return
    this.#aliveSince ??= sentAt
    clearTimeout(this.#deadline)
    const remainingMs = this.#options.leaseMs - (readMonotonicMs() - sentAt)
    this.#deadline = setTimeout(() => this.#lose('the database did not answer for the time of a lease'), remainingMs)
  }

  #lose(reason: string): void {
    if (this.#isOver) return
    this.#stop()
    this.#options.onLost(reason)
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    clearTimeout(this.#deadline)
  }
}

/**
 * Removes workers whose lease has expired, and puts their runs back into the queue. Returns the runs. Their old execution cannot write a step any
 * more once the run is resumed, because DBOS checks the owner of a workflow with every step.
 */
export async function seizeExpired(database: FleetDatabase): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    const dead = await transaction.query<{ id: string }>(
      `DELETE FROM haft_fleet.workers WHERE id IN (
         SELECT id FROM haft_fleet.workers WHERE expires_at < now() FOR UPDATE SKIP LOCKED) RETURNING id`,
    )
    // Runs of workers without a row belong to nobody, whatever became of the row.
    const runs = await transaction.query<{ id: string }>(
      `UPDATE haft_fleet.runs r SET state = 'queued', worker = NULL, queued_at = now() WHERE state = 'running'
         AND (worker = ANY($1) OR NOT EXISTS (SELECT 1 FROM haft_fleet.workers w WHERE w.id = r.worker)) RETURNING id`,
      [dead.map(({ id }) => id)],
    )
    if (runs.length > 0) await transaction.query("SELECT pg_notify('haft_fleet', 'queue')")
    return runs.map(({ id }) => id)
  })
}
