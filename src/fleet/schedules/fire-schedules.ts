import { createHash } from 'node:crypto'
import { findDueTimes, findNextTime } from '../../shared/cron-times.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import type { RunSpec } from '../runs/run-spec.js'
import { insertRun } from '../runs/run-store.js'

/** A run that begins later than this was missed. */
const MISSED_AFTER_MS = 5 * 60_000
const MAX_FIRED_AT_ONCE = 100

interface DueRow {
  readonly id: string
  readonly tenant: string
  readonly cron: string
  readonly timezone: string
  readonly is_recurring: boolean
  readonly if_missed: 'run_once' | 'skip'
  readonly spec: RunSpec
  readonly next_due: Date
  readonly now: Date
}

/**
 * Queues the runs of schedules that are due. A schedule is read and moved on in one transaction under a row lock, and the id of a run follows from the due
 * time, so that each due time has one run, however many workers look.
 */
export async function fireDueSchedules(database: FleetDatabase): Promise<number> {
  const due = await database.query(
    'SELECT 1 FROM haft_fleet.schedules WHERE next_due <= now() AND NOT is_paused LIMIT 1',
  )
  if (due.length === 0) return 0
  const count = await database.transaction(async (transaction) => {
    const rows = await transaction.query<DueRow>(
      `SELECT *, now() AS now FROM haft_fleet.schedules WHERE next_due <= now() AND NOT is_paused
       ORDER BY next_due LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [MAX_FIRED_AT_ONCE],
    )
    for (const row of rows) {
      const times = { cron: row.cron, timezone: row.timezone, recurring: row.is_recurring }
      const now = row.now.getTime()
      const found = findDueTimes(times, { after: row.next_due.getTime() - 1, until: now })
      const latest = found?.latest ?? row.next_due.getTime()
      const next = row.is_recurring ? findNextTime(times, now) : undefined
      await transaction.query(
        'UPDATE haft_fleet.schedules SET next_due = $3, last_due = $4 WHERE tenant = $1 AND id = $2',
        [row.tenant, row.id, next === undefined ? null : new Date(next), new Date(latest)],
      )
      if (row.if_missed === 'skip' && now - latest > MISSED_AFTER_MS) continue
      const id = createRunId(row, latest)
      await insertRun(transaction, row.tenant, { spec: row.spec }, { id, schedule: row.id })
    }
    return rows.length
  })
  if (count > 0) await database.notify('queue')
  return count
}

function createRunId({ tenant, id }: DueRow, due: number): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, id, due]))
    .digest('hex')
  return `scheduled-${hash.slice(0, 32)}`
}
