import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, test } from 'vitest'
import { type Fleet, type FleetClient, openFleet } from '../../src/fleet/fleet-client.js'
import type { RunSpec } from '../../src/fleet/runs/run-spec.js'
import type { Run } from '../../src/fleet/runs/run-store.js'
import { setTenant } from '../../src/fleet/runs/tenants.js'
import type { NamedTest } from '../../src/testing/test-with-program.js'
import { hasPostgres, startPostgres, type TestPostgres } from './postgres.js'

const HAFT = fileURLToPath(new URL('../../bin/haft', import.meta.url))
const FLEET_SCRIPT = fileURLToPath(new URL('../fixtures/fleet/script.mjs', import.meta.url))

/** A test that needs a PostgreSQL server. Without one it is skipped; in CI it fails. */
export const testWithPostgres: NamedTest = (name, run) => {
  if (hasPostgres()) test(name, async () => await run())
  else if (process.env.HAFT_REQUIRE_PROGRAMS)
    test(name, () => {
      throw new Error('PostgreSQL is not installed: apt-get install postgresql')
    })
  else test.skip(`${name} [needs a PostgreSQL server: apt-get install postgresql]`)
}

/** What the model of the tests does. */
export interface Plan {
  readonly label: string
  readonly calls: number
  readonly log?: string
  readonly tools?: readonly string[]
  readonly inputs?: readonly unknown[]
  readonly sleep?: number
  readonly padding?: number
  readonly read?: string
  readonly answer?: string
}

export interface WorkerProcess {
  readonly pid: number
  readonly exited: Promise<number | null>
  readonly output: () => string
  kill(signal: NodeJS.Signals): void
}

/** A database, worker processes and clients for one test. */
export class FleetFixture {
  readonly url: string
  readonly folder: string
  readonly fleet: Fleet
  readonly #workers = new Set<WorkerProcess>()
  #count = 0

  private constructor(url: string, folder: string, fleet: Fleet) {
    this.url = url
    this.folder = folder
    this.fleet = fleet
  }

  static async open(postgres: TestPostgres): Promise<FleetFixture> {
    const url = await postgres.createDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'haft-fleet-'))
    mkdirSync(join(folder, 'home'))
    const fleet = await openFleet(url)
    await setTenant(fleet.database, 'default')
    return new FleetFixture(url, folder, fleet)
  }

  get client(): FleetClient {
    return this.fleet.tenant('default')
  }

  /** A file to which calls write what they have done. */
  get log(): string {
    return join(this.folder, 'effects.log')
  }

  readLog(): readonly string[] {
    try {
      return readFileSync(this.log, 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }

  /** Starts a worker process with a folder of its own, as on another machine. */
  startWorker({
    options = [],
    runOptions = ['--permission-mode', 'bypassPermissions'],
    variables = {},
    command = [process.execPath],
    url = this.url,
  }: {
    readonly options?: readonly string[]
    readonly runOptions?: readonly string[]
    readonly variables?: Readonly<Record<string, string>>
    readonly command?: readonly string[]
    readonly url?: string
  } = {}): WorkerProcess {
    const folder = join(this.folder, `machine-${++this.#count}`)
    const [program = '', ...args] = [
      ...command,
      ...[HAFT, 'worker', '--folder', folder, ...options, '--', '--model', `scripted:${FLEET_SCRIPT}`, ...runOptions],
    ]
    const env = { PATH: process.env.PATH, HOME: join(this.folder, 'home'), HAFT_SANDBOX: '1', DATABASE_URL: url }
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    const worker: WorkerProcess = {
      pid: child.pid ?? 0,
      exited: new Promise((resolve) => child.once('exit', (code) => resolve(code))),
      output: () => output,
      kill: (signal) => child.kill(signal),
    }
    this.#workers.add(worker)
    void worker.exited.then(() => this.#workers.delete(worker))
    return worker
  }

  async submit(plan: Plan, spec: Partial<RunSpec> = {}, tenant = 'default'): Promise<string> {
    const prompt = JSON.stringify({ ...plan, log: plan.log ?? this.log })
    const { id } = await this.fleet.tenant(tenant).submit({ spec: { prompt, ...spec } })
    return id
  }

  /** Waits until the run has ended. */
  async waitFor(id: string, tenant = 'default'): Promise<Run> {
    return this.fleet.tenant(tenant).waitFor(id, new AbortController().signal)
  }

  async close(): Promise<void> {
    const workers = [...this.#workers]
    if (process.env.HAFT_FLEET_OUTPUT) for (const worker of workers) process.stderr.write(worker.output())
    for (const worker of workers) worker.kill('SIGKILL')
    await Promise.all(workers.map(({ exited }) => exited))
    await this.fleet.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** One server for the tests of a file, started with the first one. */
export function usePostgres(): () => Promise<TestPostgres> {
  let starting: Promise<TestPostgres> | undefined
  afterAll(async () => {
    const postgres = await starting
    await postgres?.stop()
  })
  return () => {
    starting ??= startPostgres()
    return starting
  }
}
