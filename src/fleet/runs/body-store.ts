import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { FleetDatabase } from '../database/fleet-database.js'
import { hashBody, type LoadBody, type StoreBody } from '../engine/run-journal.js'
import { FleetError } from './run-spec.js'

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** The large bodies of one tenant, compressed, each stored once under the hash of its content. */
export class BodyStore {
  readonly #database: FleetDatabase
  readonly #tenant: string

  constructor(database: FleetDatabase, tenant: string) {
    this.#database = database
    this.#tenant = tenant
  }

  readonly store: StoreBody = async (bytes) => {
    const hash = hashBody(bytes)
    await this.#database.query(
      'INSERT INTO haft_fleet.bodies (tenant, hash, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [this.#tenant, hash, await compress(bytes)],
    )
    return hash
  }

  readonly load: LoadBody = async (hash) => {
    const [row] = await this.#database.query<{ bytes: Buffer }>(
      'SELECT bytes FROM haft_fleet.bodies WHERE tenant = $1 AND hash = $2',
      [this.#tenant, hash],
    )
    if (row === undefined) throw new FleetError('not_found', `There is no body ${hash}.`)
    return expand(row.bytes)
  }
}
