import { createHash, randomBytes } from 'node:crypto'
import type { FleetDatabase } from '../database/fleet-database.js'
import { FleetError } from './run-spec.js'

/** What a token may do. */
export const SCOPES = ['read', 'submit', 'control', 'answer'] as const
/** One of `SCOPES`. */
export type Scope = (typeof SCOPES)[number]

const TENANT_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** The limits of a tenant. Undefined leaves a limit as it is, null removes it. */
export interface TenantLimits {
  readonly maxRunning?: number | null | undefined
  readonly rateCount?: number | null | undefined
  readonly rateSeconds?: number | null | undefined
  readonly budgetTokens?: number | null | undefined
  readonly budgetUsd?: number | null | undefined
  readonly webhookUrl?: string | null | undefined
  readonly webhookSecret?: string | null | undefined
  readonly isPaused?: boolean | undefined
}

const COLUMNS: Readonly<Record<keyof TenantLimits, string>> = {
  maxRunning: 'max_running',
  rateCount: 'rate_count',
  rateSeconds: 'rate_seconds',
  budgetTokens: 'budget_tokens',
  budgetUsd: 'budget_usd',
  webhookUrl: 'webhook_url',
  webhookSecret: 'webhook_secret_ref',
  isPaused: 'is_paused',
}

/** Creates a tenant, or changes its limits. For operators only. */
export async function setTenant(database: FleetDatabase, name: string, limits: TenantLimits = {}): Promise<void> {
  if (!TENANT_NAME.test(name))
    throw new FleetError('invalid', `Invalid tenant "${name}": use up to 63 small letters, digits, - and _.`)
  await database.query('INSERT INTO haft_fleet.tenants (name) VALUES ($1) ON CONFLICT DO NOTHING', [name])
  for (const [key, column] of Object.entries(COLUMNS)) {
    const value = limits[key as keyof TenantLimits]
    if (value !== undefined)
      await database.query(`UPDATE haft_fleet.tenants SET ${column} = $2 WHERE name = $1`, [name, value])
  }
  await database.notify('queue')
}

/** Sets how many runs of all tenants may be active; undefined removes the limit. */
export async function setFleetLimit(database: FleetDatabase, maxRunning: number | undefined): Promise<void> {
  await database.query("DELETE FROM haft_fleet.limits WHERE name = 'max_running'")
  if (maxRunning !== undefined)
    await database.query("INSERT INTO haft_fleet.limits VALUES ('max_running', $1)", [maxRunning])
  await database.notify('queue')
}

/** Creates a token. It is returned once and stored as a hash. */
export async function createToken(
  database: FleetDatabase,
  tenant: string,
  { label, scopes }: { readonly label: string; readonly scopes: readonly Scope[] },
): Promise<string> {
  const token = `haft_${randomBytes(24).toString('base64url')}`
  await database.query('INSERT INTO haft_fleet.tokens (hash, tenant, label, scopes) VALUES ($1, $2, $3, $4)', [
    hashToken(token),
    tenant,
    label,
    scopes,
  ])
  return token
}

/** Deletes a token by its label. It is refused from then on. */
export async function deleteToken(database: FleetDatabase, tenant: string, label: string): Promise<void> {
  const rows = await database.query('DELETE FROM haft_fleet.tokens WHERE tenant = $1 AND label = $2 RETURNING label', [
    tenant,
    label,
  ])
  if (rows.length === 0) throw new FleetError('not_found', `Tenant ${tenant} has no token "${label}".`)
}

/** Returns whose token it is and what it allows; undefined if it is not valid. */
export async function findToken(
  database: FleetDatabase,
  token: string,
): Promise<{ readonly tenant: string; readonly label: string; readonly scopes: readonly Scope[] } | undefined> {
  const [row] = await database.query<{ tenant: string; label: string; scopes: Scope[] }>(
    'SELECT tenant, label, scopes FROM haft_fleet.tokens WHERE hash = $1',
    [hashToken(token)],
  )
  return row
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The numbers of a fleet, for operators; or of one tenant. */
export async function readStats(database: FleetDatabase, tenant?: string): Promise<FleetStats> {
  const states = await database.query<{ tenant: string; state: string; count: number }>(
    `SELECT tenant, state, count(*)::int AS count FROM haft_fleet.runs WHERE ($1::text IS NULL OR tenant = $1)
     GROUP BY tenant, state ORDER BY tenant, state`,
    [tenant],
  )
  const workers = await database.query<{ id: string; host: string; slots: number; running: number; alive: boolean }>(
    `SELECT w.id, w.host, w.slots, w.expires_at > now() AS alive,
       (SELECT count(*)::int FROM haft_fleet.runs r WHERE r.worker = w.id AND r.state = 'running') AS running
     FROM haft_fleet.workers w ORDER BY w.started_at`,
  )
  const [waits] = await database.query<{ p50: number | null; p95: number | null }>(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY wait) AS p50, percentile_cont(0.95) WITHIN GROUP (ORDER BY wait) AS p95
     FROM (SELECT extract(epoch FROM first_started_at - greatest(created_at, not_before)) AS wait FROM haft_fleet.runs
       WHERE first_started_at > now() - interval '1 hour' AND ($1::text IS NULL OR tenant = $1)) recent`,
    [tenant],
  )
  return {
    states,
    // The machines of a fleet are nothing that a tenant should know.
    workers: tenant === undefined ? workers : [],
    waitSeconds: { p50: Number(waits?.p50 ?? 0), p95: Number(waits?.p95 ?? 0) },
  }
}

export interface FleetStats {
  readonly states: readonly { readonly tenant: string; readonly state: string; readonly count: number }[]
  readonly workers: readonly {
    readonly id: string
    readonly host: string
    readonly slots: number
    readonly running: number
    readonly alive: boolean
  }[]
  /** Waiting times of the last hour, from submission to start. */
  readonly waitSeconds: { readonly p50: number; readonly p95: number }
}
