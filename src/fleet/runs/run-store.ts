import { randomUUID } from 'node:crypto'
import type { FleetDatabase, Queryable } from '../database/fleet-database.js'
import { STEP_LAYOUT } from '../engine/step-layout.js'
import { FINAL_STATES, FleetError, isFinal, type RunSpec, type RunState, type Submission } from './run-spec.js'

/** One run, as its tenant sees it. */
export interface Run {
  readonly id: string
  readonly tenant: string
  readonly state: RunState
  readonly priority: number
  readonly spec: RunSpec
  readonly attempt: number
  readonly worker: string | undefined
  readonly schedule: string | undefined
  readonly forkedFrom: string | undefined
  readonly createdAt: string
  readonly startedAt: string | undefined
  readonly endedAt: string | undefined
  readonly tokens: number
  readonly costUsd: number
  readonly endReason: string | undefined
  readonly answer: string | undefined
  readonly problem: string | undefined
  readonly results: RunResults | undefined
}

/** What a run left, besides its transcript. Bodies are fetched by their hash. */
export interface RunResults {
  readonly branch?: string
  /** The changes as a patch. */
  readonly patch?: StoredBody
  /** A git bundle with the branch. */
  readonly bundle?: StoredBody
  readonly artefacts: readonly (StoredBody & { readonly path: string })[]
}

/** A stored body, such as a patch. */
export interface StoredBody {
  readonly hash: string
  readonly bytes: number
}

interface RunRow {
  readonly id: string
  readonly tenant: string
  readonly state: RunState
  readonly priority: number
  readonly spec: RunSpec
  readonly attempt: number
  readonly worker: string | null
  readonly schedule: string | null
  readonly forked_from: string | null
  readonly created_at: Date
  readonly first_started_at: Date | null
  readonly ended_at: Date | null
  readonly tokens: string
  readonly cost_usd: string
  readonly end_reason: string | null
  readonly answer: string | null
  readonly problem: string | null
  readonly results: RunResults | null
}

const COLUMNS = `id, tenant, state, priority, spec, attempt, worker, schedule, forked_from, created_at, first_started_at, ended_at,
  tokens, cost_usd, end_reason, answer, problem, results`

const MAX_LISTED = 1_000

/** Where a run comes from, if nobody submitted it. */
export interface RunOrigin {
  readonly id?: string
  readonly schedule?: string
  readonly forkedFrom?: string
  /** How often it was started already. */
  readonly attempt?: number
}

/** Stores a run in the queue. Two submissions of a tenant with one key are one run; the first one counts. */
export async function insertRun(
  queryable: Queryable,
  tenant: string,
  { spec, key, priority = 0, delaySeconds = 0 }: Submission,
  { id = randomUUID(), schedule, forkedFrom, attempt = 0 }: RunOrigin = {},
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const [inserted] = await queryable.query<{ id: string }>(
    `INSERT INTO haft_fleet.runs (id, tenant, key, priority, spec, layout, schedule, forked_from, attempt, not_before, queued_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $10, now() + make_interval(secs => $9), now() + make_interval(secs => $9))
     ON CONFLICT DO NOTHING RETURNING id`,
    [id, tenant, key, priority, JSON.stringify(spec), STEP_LAYOUT, schedule, forkedFrom, delaySeconds, attempt],
  )
  if (inserted !== undefined) return { id: inserted.id, isNew: true }
  const [existing] = await queryable.query<{ id: string }>(
    'SELECT id FROM haft_fleet.runs WHERE tenant = $1 AND (key = $2 OR id = $3)',
    [tenant, key, id],
  )
  return { id: existing?.id ?? id, isNew: false }
}

/** The runs of one tenant. Every statement names the tenant, so that no run of another one can be seen or changed. */
export class RunStore {
  readonly #database: FleetDatabase
  readonly tenant: string

  constructor(database: FleetDatabase, tenant: string) {
    this.#database = database
    this.tenant = tenant
  }

  async submit(submission: Submission): Promise<{ readonly id: string; readonly isNew: boolean }> {
    await this.#requireTenant()
    const submitted = await insertRun(this.#database, this.tenant, submission)
    if (submitted.isNew) await this.#database.notify('queue')
    return submitted
  }

  async get(id: string): Promise<Run> {
    const [row] = await this.#database.query<RunRow>(
      `SELECT ${COLUMNS} FROM haft_fleet.runs WHERE tenant = $1 AND id = $2`,
      [this.tenant, id],
    )
    if (row === undefined) throw new FleetError('not_found', `There is no run ${id}.`)
    return toRun(row)
  }

  /** Lists the latest runs, newest first. */
  async list({ state, limit = 50 }: { state?: RunState | undefined; limit?: number } = {}): Promise<readonly Run[]> {
    const rows = await this.#database.query<RunRow>(
      `SELECT ${COLUMNS} FROM haft_fleet.runs WHERE tenant = $1 AND ($2::text IS NULL OR state = $2)
       ORDER BY seq DESC LIMIT $3`,
      [this.tenant, state, Math.min(limit, MAX_LISTED)],
    )
    return rows.map(toRun)
  }

  /** Changes the state of a run, if it has one of the given states. Returns whether it did. */
  async changeState(id: string, from: readonly RunState[], to: RunState): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE haft_fleet.runs SET state = $4,
         ended_at = CASE WHEN $4 = ANY($5) THEN now() END, queued_at = CASE WHEN $4 = 'queued' THEN now() ELSE queued_at END
       WHERE tenant = $1 AND id = $2 AND state = ANY($3) RETURNING id`,
      [this.tenant, id, from, to, FINAL_STATES],
    )
    if (rows.length === 0) return false
    await Promise.all([this.#database.notify(`run ${id}`), this.#database.notify('queue')])
    return true
  }

  /** Requires a state change, and explains why it is not possible. */
  async requireChange(id: string, from: readonly RunState[], to: RunState, verb: string): Promise<void> {
    if (await this.changeState(id, from, to)) return
    const { state } = await this.get(id)
    throw new FleetError('conflict', `Run ${id} is ${state}${isFinal(state) ? ' already' : ''}; it cannot be ${verb}.`)
  }

  async getBody(hash: string): Promise<Buffer> {
    const [row] = await this.#database.query<{ bytes: Buffer }>(
      'SELECT bytes FROM haft_fleet.bodies WHERE tenant = $1 AND hash = $2',
      [this.tenant, hash],
    )
    if (row === undefined) throw new FleetError('not_found', `There is no body ${hash}.`)
    return row.bytes
  }

  async #requireTenant(): Promise<void> {
    const rows = await this.#database.query('SELECT 1 FROM haft_fleet.tenants WHERE name = $1', [this.tenant])
    if (rows.length === 0)
      throw new FleetError(
        'not_found',
        `There is no tenant ${this.tenant}. Create it with haft fleet tenant set ${this.tenant}.`,
      )
  }
}

function toRun(row: RunRow): Run {
  const { forked_from, created_at, first_started_at, ended_at, cost_usd, end_reason, ...same } = row
  return {
    ...same,
    worker: row.worker ?? undefined,
    schedule: row.schedule ?? undefined,
    forkedFrom: forked_from ?? undefined,
    createdAt: created_at.toISOString(),
    startedAt: first_started_at?.toISOString(),
    endedAt: ended_at?.toISOString(),
    tokens: Number(row.tokens),
    costUsd: Number(cost_usd),
    endReason: end_reason ?? undefined,
    answer: row.answer ?? undefined,
    problem: row.problem ?? undefined,
    results: row.results ?? undefined,
  }
}
