import { join, resolve } from 'node:path'
import { hideInitialVariables } from '../../../system/hide-environment.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, ExitError, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { openFleetDatabase } from '../fleet/open-fleet.js'
import { createOpenRunSession, isFleetVariable } from './open-run-session.js'

const MAX_SLOTS = 200

/** `haft worker`: executes runs of a fleet until it is ended. */
export async function runWorker(io: CommandIo): Promise<number> {
  const separator = io.args.indexOf('--')
  const ownArguments = separator === -1 ? io.args : io.args.slice(0, separator)
  const runOptions = separator === -1 ? [] : io.args.slice(separator + 1)
  const { values, positionals } = parseOptions(ownArguments, {
    database: { type: 'string' },
    slots: { type: 'string', default: '4' },
    lease: { type: 'string', default: '6' },
    'drain-timeout': { type: 'string', default: '30' },
    'park-after': { type: 'string', default: '30' },
    folder: { type: 'string' },
    'local-repositories': { type: 'string', multiple: true, default: [] },
  })
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${positionals[0]}. See haft worker --help.`)
  const host = await io.host()
  const interruption = host.interruption()
  const database = await openFleetDatabase(io, values.database)
  // Commands of runs could read the password of the database there.
  hideInitialVariables(isFleetVariable)
  const { FleetWorker } = await import('../../../fleet/worker/fleet-worker.js')
  const worker = new FleetWorker({
    database,
    openSession: createOpenRunSession(io, host, runOptions),
    stateFolder: resolve(host.cwd, values.folder ?? join(host.homeDir, '.haft', 'fleet')),
    localRepositories: values['local-repositories'].map((folder) => resolve(host.cwd, folder)),
    slots: readNumber('--slots', values.slots, { min: 1, max: MAX_SLOTS }),
    leaseMs: 1000 * readNumber('--lease', values.lease, { min: 0.5, max: 600 }),
    drainMs: 1000 * readNumber('--drain-timeout', values['drain-timeout'], { min: 0, max: 86_400 }),
    parkAfterMs: 1000 * readNumber('--park-after', values['park-after'], { min: 0, max: 86_400 }),
    log: (line) => warn(io, line),
  })
  const end = await worker.run(interruption.signal)
  if (end.reason === 'lost') throw new ExitError(EXIT.failed, `the worker stopped: ${end.detail}. Start it again.`)
  await database.close()
  return EXIT.done
}

function readNumber(
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw new UsageError(`${option} must be a number from ${min} to ${max}, not "${text}".`)
}
