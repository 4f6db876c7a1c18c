import type { FleetDatabase } from '../database/fleet-database.js'
import { STEP_LAYOUT } from '../engine/step-layout.js'
import type { RunSpec } from './run-spec.js'

/** One process at a time decides what starts, so that no limit is exceeded. */
const CLAIM_LOCK = 7_264_002

/** A run that this worker has taken out of the queue. */
export interface ClaimedRun {
  readonly id: string
  readonly tenant: string
  readonly spec: RunSpec
  /** 1 for the first start. */
  readonly attempt: number
  /** What earlier executions have used. PostgreSQL returns large numbers as text. */
  readonly tokens: string
  readonly cost_usd: string
}

/**
 * Takes up to `count` runs out of the queue. The limits: runs of the whole fleet, runs and starts of each tenant, and its budgets. Within a
 * tenant, runs that have begun come first, then higher priorities, then older runs. Between tenants, the one with the fewest runs comes first.
 */
const CLAIM_SQL = `
WITH busy AS (
  SELECT tenant, count(*)::int AS running FROM haft_fleet.runs WHERE state = 'running' GROUP BY tenant
), room AS (
  SELECT least($2::int, coalesce((SELECT value FROM haft_fleet.limits WHERE name = 'max_running'), $2::int + 1000000)
    - coalesce((SELECT sum(running)::int FROM busy), 0)) AS total
), open AS (
  SELECT t.name, coalesce(busy.running, 0) AS running,
    least(coalesce(t.max_running - coalesce(busy.running, 0), $2::int), $2::int) AS free,
    CASE WHEN t.rate_count IS NULL THEN $2::int ELSE t.rate_count - (
      SELECT count(*)::int FROM haft_fleet.runs s WHERE s.tenant = t.name
        AND s.first_started_at > now() - make_interval(secs => t.rate_seconds)) END AS starts
  FROM haft_fleet.tenants t LEFT JOIN busy ON busy.tenant = t.name
  WHERE NOT t.is_paused AND (
    (t.budget_tokens IS NULL AND t.budget_usd IS NULL) OR EXISTS (
      SELECT 1 FROM haft_fleet.runs u WHERE u.tenant = t.name
        AND u.created_at >= date_trunc('month', now())
      HAVING (t.budget_tokens IS NULL OR coalesce(sum(u.tokens), 0) < t.budget_tokens)
        AND (t.budget_usd IS NULL OR coalesce(sum(u.cost_usd), 0) < t.budget_usd)))
), candidates AS (
  SELECT r.id, open.running + r.place AS load, r.priority, r.seq
  FROM open CROSS JOIN LATERAL (
    SELECT q.id, q.priority, q.seq, q.attempt, row_number() OVER queue AS place,
      count(*) FILTER (WHERE q.attempt = 0) OVER queue AS new_starts
    FROM (SELECT id, priority, seq, attempt FROM haft_fleet.runs
      WHERE tenant = open.name AND state = 'queued' AND not_before <= now() AND layout = $3
      ORDER BY (attempt = 0), priority DESC, seq LIMIT greatest(open.free, 0)) q
    WINDOW queue AS (ORDER BY (q.attempt = 0), q.priority DESC, q.seq)
  ) r
  WHERE r.attempt > 0 OR r.new_starts <= open.starts
  ORDER BY load, r.seq LIMIT greatest((SELECT total FROM room), 0)
)
UPDATE haft_fleet.runs SET state = 'running', worker = $1, attempt = attempt + 1, started_at = clock_timestamp(),
  first_started_at = coalesce(first_started_at, clock_timestamp())
WHERE id IN (SELECT id FROM candidates) AND state = 'queued'
RETURNING id, tenant, spec, attempt, tokens, cost_usd`

export async function claimRuns(
  database: FleetDatabase,
  worker: string,
  count: number,
): Promise<readonly ClaimedRun[]> {
  if (count <= 0) return []
  return database.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK])
    // A worker whose lease has ended must not take anything.
    const alive = await transaction.query(
      'SELECT 1 FROM haft_fleet.workers WHERE id = $1 AND NOT is_draining FOR SHARE',
      [worker],
    )
    return alive.length === 0 ? [] : transaction.query<ClaimedRun>(CLAIM_SQL, [worker, count, STEP_LAYOUT])
  })
}
