import type { FleetDatabase } from '../../../fleet/database/fleet-database.js'
import type { FleetClient } from '../../../fleet/fleet-client.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, ExitError } from '../../io/exit.js'

/** An action of `haft fleet`: returns the exit code. */
export type FleetAction = (io: CommandIo, args: readonly string[]) => Promise<number>

/** Connects to the database of the fleet: `--database`, else `DATABASE_URL`, else a PostgreSQL of this machine that is started if needed. */
export async function openFleetDatabase(io: CommandIo, option: string | undefined): Promise<FleetDatabase> {
  const { FleetDatabase } = await import('../../../fleet/database/fleet-database.js')
  const url = option ?? io.variables.DATABASE_URL ?? (await openLocalServer(io))
  try {
    return await FleetDatabase.open(url)
  } catch (error) {
    const reason = reasonOf(error) || 'it does not answer'
    throw new ExitError(EXIT.failed, `the database of the fleet cannot be used: ${reason}. Check DATABASE_URL.`, {
      cause: error,
    })
  }
}

async function openLocalServer(io: CommandIo): Promise<string> {
  const { startLocalServer } = await import('../../../fleet/database/local-server.js')
  const host = await io.host()
  return startLocalServer(host.homeDir)
}

/** The options of every action that concerns one tenant. */
export const TENANT_OPTIONS = {
  database: { type: 'string' },
  tenant: { type: 'string', default: 'default' },
  json: { type: 'boolean', default: false },
} as const

interface TenantValues {
  readonly database?: string | undefined
  readonly tenant: string
}

/** Runs the work with a client for the tenant, and closes the connection afterwards. */
export async function withClient<T>(
  io: CommandIo,
  { database: url, tenant }: TenantValues,
  work: (client: FleetClient) => Promise<T>,
): Promise<T> {
  const database = await openFleetDatabase(io, url)
  const { createFleet } = await import('../../../fleet/fleet-client.js')
  const { setTenant } = await import('../../../fleet/runs/tenants.js')
  const fleet = createFleet(database)
  try {
    // A fleet of one person needs no setup.
    if (tenant === 'default') await setTenant(database, tenant)
    return await work(fleet.tenant(tenant))
  } finally {
    await fleet.close()
  }
}
