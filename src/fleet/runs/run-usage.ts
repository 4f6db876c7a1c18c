import type { FleetDatabase } from '../database/fleet-database.js'
import type { ClaimedRun } from './claim-runs.js'

/** What a session has used so far. */
export interface Spent {
  readonly tokens: number
  /** Undefined if a price is unknown. */
  readonly costUsd: number | undefined
}

/**
 * Adds to what the earlier executions of the run have used. Returns whether the tenant has used up its budget of the month, so that the run must
 * end.
 */
const RECORD_SQL = `
WITH changed AS (
  UPDATE haft_fleet.runs SET tokens = $3, cost_usd = $4 WHERE id = $1 AND worker = $2 RETURNING id, tenant
)
SELECT t.name FROM changed JOIN haft_fleet.tenants t ON t.name = changed.tenant
WHERE (t.budget_tokens IS NOT NULL OR t.budget_usd IS NOT NULL) AND EXISTS (
  SELECT 1 FROM haft_fleet.runs u WHERE u.tenant = t.name AND u.id <> $1 AND u.created_at >= date_trunc('month', now())
  HAVING coalesce(sum(u.tokens), 0) + $3 >= t.budget_tokens OR coalesce(sum(u.cost_usd), 0) + $4 >= t.budget_usd)`

/** Records what one execution of a run uses, and stops it at the budget of its tenant. */
export class RunUsage {
  readonly #database: FleetDatabase
  readonly #run: ClaimedRun
  readonly #worker: string
  readonly #exceeded = new AbortController()

  constructor(database: FleetDatabase, run: ClaimedRun, worker: string) {
    this.#database = database
    this.#run = run
    this.#worker = worker
  }

  /** Aborted when the tenant has used up its budget. */
  get exceeded(): AbortSignal {
    return this.#exceeded.signal
  }

  async record({ tokens, costUsd = 0 }: Spent): Promise<void> {
    const totalTokens = Number(this.#run.tokens) + tokens
    const totalCost = Number(this.#run.cost_usd) + costUsd
    const rows = await this.#database.query(RECORD_SQL, [this.#run.id, this.#worker, totalTokens, totalCost])
    if (rows.length > 0) this.#exceeded.abort()
  }
}
