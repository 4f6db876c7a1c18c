import { ToolCallError } from '../../contract/errors.js'
import type { ScheduledTask, SchedulePort } from '../../contract/ports/schedule.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import type { RunSpec } from '../runs/run-spec.js'
import { RunStore } from '../runs/run-store.js'
import { type FleetSchedule, ScheduleStore } from './schedule-store.js'

/** The schedule of a run: durable tasks and triggered runs become schedules and runs of its tenant, with the same options. */
export function createSchedulePort(
  database: FleetDatabase,
  { tenant, spec }: { readonly tenant: string; readonly spec: RunSpec },
): SchedulePort {
  const schedules = new ScheduleStore(database, tenant)
  const runs = new RunStore(database, tenant)
  return {
    async create({ cron, prompt, recurring, durable, timezone, ifMissed }) {
      if (!durable)
        throw new ToolCallError(
          'input_refused',
          'This run ends with its answer, so it has no later prompts. Use durable: true.',
        )
      const created = await schedules
        .create({ cron, spec: { ...spec, prompt }, recurring, timezone, ifMissed })
        .catch((error: unknown) => {
          throw new ToolCallError('input_refused', reasonOf(error), { cause: error })
        })
      return toTask(created)
    },
    async delete(id) {
      const found = (await schedules.list()).find((schedule) => schedule.id === id)
      if (found !== undefined) await schedules.delete(id)
      return found && toTask(found)
    },
    list: async () => (await schedules.list()).map(toTask),
    async trigger({ prompt, key, worker }) {
      if (worker !== undefined)
        throw new ToolCallError('input_refused', 'Runs of a fleet start in the fleet. Leave worker out.')
      const { id } = await runs.submit({ spec: { ...spec, prompt }, key })
      return `The fleet has queued the run ${id}.`
    },
  }
}

function toTask({ id, cron, spec, timezone, recurring, ifMissed, nextDue, lastDue }: FleetSchedule): ScheduledTask {
  return {
    ...{ id, cron, prompt: spec.prompt, timezone, recurring, ifMissed, durable: true },
    ...(nextDue !== undefined && { nextRun: Date.parse(nextDue) }),
    runs: lastDue === undefined ? [] : [{ due: Date.parse(lastDue), state: 'delivered', missedCount: 0 }],
  }
}
