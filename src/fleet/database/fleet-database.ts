import type { Notification, Pool, PoolClient, QueryResultRow } from 'pg'
import { delay } from '../../shared/waiting.js'
import { loadPg } from './packages.js'
import { SCHEMA_SQL, SCHEMA_VERSION } from './schema.js'

/** Any number works, as long as nothing else in the database uses it. */
const MIGRATION_LOCK = 7_264_001
const ENGINE_MIGRATION_LOCK = 7_264_003
const DEFAULT_POOL_SIZE = 6
const RECONNECT_MS = 200

/** The channel of notifications. The payload says what has changed: `queue`, `run ID` or `question ID`. */
const CHANNEL = 'haft_fleet'

type Row = QueryResultRow

/** Anything that runs statements: the pool, or a transaction. */
export interface Queryable {
  query<T extends Row>(sql: string, values?: readonly unknown[]): Promise<readonly T[]>
}

/** A connection pool to the database of a fleet, with its tables. */
export class FleetDatabase implements Queryable {
  readonly url: string
  readonly #pool: Pool
  readonly #closing = new AbortController()

  private constructor(url: string, pool: Pool) {
    this.url = url
    this.#pool = pool
    // A connection that breaks while it is idle is replaced with the next statement.
    pool.on('error', () => {})
  }

  /** Connects, and creates the tables if they do not exist. */
  static async open(url: string, { poolSize = DEFAULT_POOL_SIZE } = {}): Promise<FleetDatabase> {
    const { Pool } = await loadPg()
    const pool = new Pool({ connectionString: url, max: poolSize, application_name: 'haft' })
    const database = new FleetDatabase(url, pool)
    try {
      await database.#createTables()
    } catch (error) {
      await database.close()
      throw error
    }
    return database
  }

  async query<T extends Row>(sql: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    const { rows } = await this.#pool.query<T>(sql, [...values])
    return rows
  }

  /** Runs the work in one transaction. It is rolled back if the work throws. */
  async transaction<T>(work: (queryable: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let hasFailed = true
    try {
      await client.query('BEGIN')
      const result = await work(toQueryable(client))
      await client.query('COMMIT')
      hasFailed = false
      return result
    } finally {
      // Closing the connection rolls the transaction back, and a broken connection is not used again.
      client.release(hasFailed)
    }
  }

  /** Tells all processes of the fleet that something has changed. They also look by themselves, so a lost message only delays. */
  async notify(payload: string): Promise<void> {
    await this.query('SELECT pg_notify($1, $2)', [CHANNEL, payload])
  }

  /** Calls `onPayload` for every notification until `signal` aborts; `onPayload('queue')` after every reconnection. */
  async listen(onPayload: (payload: string) => void, signal: AbortSignal): Promise<void> {
    const { Client } = await loadPg()
    const ended = AbortSignal.any([signal, this.#closing.signal])
    const listenUntilBroken = async () => {
      const client = new Client({ connectionString: this.url, application_name: 'haft listen', keepAlive: true })
      const broken = new Promise<void>((resolve) => {
        client.on('error', () => resolve())
        client.on('end', () => resolve())
        ended.addEventListener('abort', () => resolve(), { once: true })
      })
      try {
        await client.connect()
        client.on('notification', ({ payload = '' }: Notification) => onPayload(payload))
        await client.query(`LISTEN ${CHANNEL}`)
        onPayload('queue')
        await broken
      } finally {
        await client.end().catch(() => undefined)
      }
    }
    while (!ended.aborted) {
      await listenUntilBroken().catch(() => undefined)
      await delay(RECONNECT_MS, ended)
    }
  }

  /**
   * Runs the work while no other process does the same. Neither the holder nor those who wait are in a transaction: indexes that are created
   * concurrently would wait for it.
   */
  async withMigrationLock(work: () => Promise<void>): Promise<void> {
    const client = await this.#pool.connect()
    try {
      for (;;) {
        const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS is_locked', [ENGINE_MIGRATION_LOCK])
        if (rows[0]?.is_locked === true) break
        await delay(RECONNECT_MS, this.#closing.signal)
      }
      await work()
    } finally {
      // Closing the connection releases the lock.
      client.release(true)
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    await this.#pool.end()
  }

  async #createTables(): Promise<void> {
    const found = await this.#readVersion().catch(() => undefined)
    if (found === SCHEMA_VERSION) return
    await this.transaction(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      await transaction.query('CREATE SCHEMA IF NOT EXISTS haft_fleet')
      await transaction.query('CREATE TABLE IF NOT EXISTS haft_fleet.version (version int NOT NULL)')
      const [row] = await transaction.query<{ version: number }>('SELECT version FROM haft_fleet.version')
      if (row !== undefined && row.version > SCHEMA_VERSION)
        throw new Error(`The database was set up by a newer version of Haft (${row.version}). Update Haft here.`)
      if (row !== undefined) return
      await transaction.query(SCHEMA_SQL)
      await transaction.query('INSERT INTO haft_fleet.version VALUES ($1)', [SCHEMA_VERSION])
    })
  }

  async #readVersion(): Promise<number | undefined> {
    const [row] = await this.query<{ version: number }>('SELECT version FROM haft_fleet.version')
    return row?.version
  }
}

function toQueryable(client: PoolClient): Queryable {
  return {
    async query<T extends Row>(sql: string, values: readonly unknown[] = []): Promise<readonly T[]> {
      const { rows } = await client.query<T>(sql, [...values])
      return rows
    },
  }
}
