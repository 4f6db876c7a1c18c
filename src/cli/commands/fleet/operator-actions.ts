import type { FleetDatabase } from '../../../fleet/database/fleet-database.js'
import { createToken, deleteToken, readStats, SCOPES, setFleetLimit, setTenant } from '../../../fleet/runs/tenants.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { type FleetAction, openFleetDatabase } from './open-fleet.js'

async function withDatabase<T>(
  io: CommandIo,
  url: string | undefined,
  work: (database: FleetDatabase) => Promise<T>,
): Promise<T> {
  const database = await openFleetDatabase(io, url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** `haft fleet tenant set NAME`: creates a tenant or changes its limits. */
export const manageTenants: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    database: { type: 'string' },
    'max-running': { type: 'string' },
    rate: { type: 'string' },
    'budget-tokens': { type: 'string' },
    'budget-usd': { type: 'string' },
    webhook: { type: 'string' },
    'webhook-secret': { type: 'string' },
    pause: { type: 'boolean' },
    unpause: { type: 'boolean' },
  })
  const [action, name] = positionals
  if (action !== 'set' || name === undefined) throw new UsageError('use haft fleet tenant set NAME [LIMITS].')
  if (values['webhook-secret'] !== undefined && !/^(?:env|file|command):./.test(values['webhook-secret']))
    throw new UsageError('--webhook-secret takes a reference: env:NAME, file:PATH or command:PROGRAM.')
  const [rateCount, rateSeconds] = readRate(values.rate)
  await withDatabase(io, values.database, (database) =>
    setTenant(database, name, {
      maxRunning: readLimit('--max-running', values['max-running']),
      ...{ rateCount, rateSeconds },
      budgetTokens: readLimit('--budget-tokens', values['budget-tokens']),
      budgetUsd: readLimit('--budget-usd', values['budget-usd']),
      webhookUrl: values.webhook,
      webhookSecret: values['webhook-secret'],
      isPaused: values.pause === true ? true : values.unpause === true ? false : undefined,
    }),
  )
  return EXIT.done
}

/** Reads a limit; `none` removes it. */
function readLimit(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return null
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0 || text.trim() === '')
    throw new UsageError(`${option} must be a number or none, not "${text}".`)
  return value
}

function readRate(text: string | undefined): readonly [number | null | undefined, number | null | undefined] {
  if (text === undefined) return [undefined, undefined]
  if (text === 'none') return [null, null]
  const [, count, seconds] = /^(\d{1,9})\/(\d{1,9})s$/.exec(text) ?? []
  if (count === undefined || seconds === undefined || Number(seconds) === 0)
    throw new UsageError(`--rate must be starts per time, for example 10/60s, not "${text}".`)
  return [Number(count), Number(seconds)]
}

/** `haft fleet token create|delete TENANT LABEL`. */
export const manageTokens: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, {
    database: { type: 'string' },
    scopes: { type: 'string', default: SCOPES.join(',') },
  })
  const [action, tenant, label] = positionals
  if ((action !== 'create' && action !== 'delete') || tenant === undefined || label === undefined)
    throw new UsageError('use haft fleet token create TENANT LABEL [--scopes LIST] or delete TENANT LABEL.')
  const names = values.scopes.split(',').map((scope) => scope.trim())
  const scopes = SCOPES.filter((scope) => names.includes(scope))
  if (scopes.length !== names.length) throw new UsageError(`--scopes: use ${SCOPES.join(', ')}.`)
  return withDatabase(io, values.database, async (database) => {
    if (action === 'delete') await deleteToken(database, tenant, label)
    else io.out(`${await createToken(database, tenant, { label, scopes })}\n`)
    return EXIT.done
  })
}

/** `haft fleet limit N|none`: how many runs of all tenants may be active. */
export const setLimit: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, { database: { type: 'string' } })
  const limit = readLimit('haft fleet limit', positionals[0])
  if (limit === undefined) throw new UsageError('expected a number or none: haft fleet limit 20.')
  return withDatabase(io, values.database, async (database) => {
    await setFleetLimit(database, limit ?? undefined)
    return EXIT.done
  })
}

/** `haft fleet stats`: runs by tenant and state, workers, and waiting times. */
export const printStats: FleetAction = async (io, args) => {
  const { values } = parseOptions(args, {
    database: { type: 'string' },
    tenant: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  return withDatabase(io, values.database, async (database) => {
    const stats = await readStats(database, values.tenant)
    if (values.json) {
      io.out(`${JSON.stringify(stats, null, 2)}\n`)
      return EXIT.done
    }
    for (const { tenant, state, count } of stats.states) io.out(`${tenant.padEnd(20)}  ${state.padEnd(9)}  ${count}\n`)
    for (const { id, host, slots, running, alive } of stats.workers)
      io.out(`worker ${id}  ${host}  ${running}/${slots}${alive ? '' : '  expired'}\n`)
    const { p50, p95 } = stats.waitSeconds
    io.out(`waiting time of the last hour: median ${p50.toFixed(2)} s, 95% within ${p95.toFixed(2)} s\n`)
    return EXIT.done
  })
}
