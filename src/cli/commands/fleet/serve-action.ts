import { delay } from '../../../shared/waiting.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { type FleetAction, openFleetDatabase } from './open-fleet.js'

const WAIT_MS = 2 ** 30

/** `haft fleet serve`: the HTTP API, until the process is ended. */
export const serveApi: FleetAction = async (io, args) => {
  const { values } = parseOptions(args, {
    database: { type: 'string' },
    port: { type: 'string', default: '8788' },
    host: { type: 'string', default: '127.0.0.1' },
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new UsageError(`--port must be a number up to 65535, not "${values.port}".`)
  const host = await io.host()
  const { signal } = host.interruption()
  const database = await openFleetDatabase(io, values.database)
  const { createFleet } = await import('../../../fleet/fleet-client.js')
  const { serveFleetApi } = await import('../../../fleet/api/serve-api.js')
  const fleet = createFleet(database)
  const server = await serveFleetApi(fleet, { port, host: values.host })
  io.out(`${server.url}\n`)
  while (!signal.aborted) await delay(WAIT_MS, signal)
  await server.close()
  await fleet.close()
  return EXIT.done
}
