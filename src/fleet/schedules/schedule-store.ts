import { randomBytes } from 'node:crypto'
import { findCronProblem, findNextTime, getLocalZone } from '../../shared/cron-times.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import { FleetError, parseWith, type RunSpec, runSpecSchema } from '../runs/run-spec.js'

/** A run that starts at the times of a cron expression. */
export interface FleetSchedule {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  readonly recurring: boolean
  readonly ifMissed: 'run_once' | 'skip'
  readonly spec: RunSpec
  readonly nextDue: string | undefined
  readonly lastDue: string | undefined
}

/** A schedule to be created. The time zone of the machine is the default. */
export interface NewFleetSchedule {
  readonly cron: string
  readonly spec: unknown
  readonly timezone?: string | undefined
  readonly recurring?: boolean | undefined
  readonly ifMissed?: 'run_once' | 'skip' | undefined
}

interface ScheduleRow {
  readonly id: string
  readonly cron: string
  readonly timezone: string
  readonly is_recurring: boolean
  readonly if_missed: 'run_once' | 'skip'
  readonly spec: RunSpec
  readonly next_due: Date | null
  readonly last_due: Date | null
}

/** The schedules of one tenant. Every statement names the tenant. */
export class ScheduleStore {
  readonly #database: FleetDatabase
  readonly #tenant: string

  constructor(database: FleetDatabase, tenant: string) {
    this.#database = database
    this.#tenant = tenant
  }

  async create(schedule: NewFleetSchedule): Promise<FleetSchedule> {
    const { cron, timezone = getLocalZone(), recurring = true, ifMissed = 'run_once' } = schedule
    const spec = parseWith(runSpecSchema.schema, schedule.spec)
    const problem = findCronProblem(cron, timezone, Date.now())
    if (problem !== undefined) throw new FleetError('invalid', problem)
    const next = findNextTime({ cron, timezone, recurring }, Date.now())
    const [row] = await this.#database.query<ScheduleRow>(
      `INSERT INTO haft_fleet.schedules (id, tenant, cron, timezone, is_recurring, if_missed, spec, next_due)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
      [
        ...[randomBytes(6).toString('hex'), this.#tenant, cron, timezone, recurring, ifMissed, JSON.stringify(spec)],
        next === undefined ? null : new Date(next),
      ],
    )
    if (row === undefined) throw new Error('The schedule was not stored.')
    return toSchedule(row)
  }

  async list(): Promise<readonly FleetSchedule[]> {
    const rows = await this.#database.query<ScheduleRow>(
      'SELECT * FROM haft_fleet.schedules WHERE tenant = $1 ORDER BY next_due NULLS LAST',
      [this.#tenant],
    )
    return rows.map(toSchedule)
  }

  async delete(id: string): Promise<void> {
    const rows = await this.#database.query(
      'DELETE FROM haft_fleet.schedules WHERE tenant = $1 AND id = $2 RETURNING id',
      [this.#tenant, id],
    )
    if (rows.length === 0) throw new FleetError('not_found', `There is no schedule ${id}.`)
  }
}

function toSchedule({ id, cron, timezone, spec, is_recurring, if_missed, next_due, last_due }: ScheduleRow) {
  return {
    ...{ id, cron, timezone, spec, recurring: is_recurring, ifMissed: if_missed },
    nextDue: next_due?.toISOString(),
    lastDue: last_due?.toISOString(),
  }
}
