import { MISSED_RUN_POLICIES, type MissedRunPolicy } from '../../../contract/ports/schedule.js'
import type { FleetSchedule } from '../../../fleet/schedules/schedule-store.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { type FleetAction, TENANT_OPTIONS, withClient } from './open-fleet.js'
import { readSpec, SPEC_OPTIONS } from './run-actions.js'

/** `haft fleet schedule list|add|delete`: runs at set times. */
export const manageSchedules: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    ...TENANT_OPTIONS,
    ...SPEC_OPTIONS,
    once: { type: 'boolean', default: false },
    timezone: { type: 'string' },
    'if-missed': { type: 'string' },
  })
  const [action = 'list', first, second] = positionals
  return withClient(io, values, async ({ schedules }) => {
    if (action === 'list') {
      const all = await schedules.list()
      io.out(values.json ? `${JSON.stringify(all, null, 2)}\n` : all.map(drawSchedule).join(''))
    } else if (action === 'add' && first !== undefined && second !== undefined) {
      const { timezone, once } = values
      const ifMissed = readPolicy(values['if-missed'])
      const spec = readSpec(second, values)
      const added = await schedules.create({ cron: first, spec, timezone, recurring: !once, ifMissed })
      io.out(values.json ? `${JSON.stringify(added, null, 2)}\n` : drawSchedule(added))
    } else if (action === 'delete' && first !== undefined) await schedules.delete(first)
    else throw new UsageError('use haft fleet schedule list, add "CRON" "PROMPT" or delete ID.')
    return EXIT.done
  })
}

function drawSchedule({ id, cron, nextDue, spec }: FleetSchedule): string {
  return `${id}  ${cron}  next ${nextDue ?? 'never'}  ${spec.prompt}\n`
}

function readPolicy(text: string | undefined): MissedRunPolicy | undefined {
  const policy = MISSED_RUN_POLICIES.find((candidate) => candidate === text)
  if (text !== undefined && policy === undefined) throw new UsageError('--if-missed must be run_once or skip.')
  return policy
}
