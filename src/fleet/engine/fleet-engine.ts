import { AsyncLocalStorage } from 'node:async_hooks'
import type { DBOSClient, DLogger } from '@dbos-inc/dbos-sdk'
import type { Pool } from 'pg'
import { reasonOf } from '../../shared/reason-of.js'
import { loadDbos, loadPg } from '../database/packages.js'
import { fleetSerializer } from './serializer.js'
import { STEP_LAYOUT } from './step-layout.js'

/** How soon a worker begins with a run that it continues. New runs start at once. */
const QUEUE_POLL_MS = 50
const CLIENT_POOL_SIZE = 2
const APPLICATION = 'haft-fleet'
const WORKFLOW = 'haft-run'
/** DBOS looks for schedules of its own. Fleets do not use them, because theirs know time zones and missed times. */
const UNUSED_SCHEDULE_POLL_MS = 3_600_000

/** A step that has been written. */
interface RecordedStep {
  readonly name: string
  readonly text: string
}

/** One execution of a run: the steps that earlier ones have written, and how to write more. */
export interface Execution {
  readonly runId: string
  readonly recordedSteps: readonly RecordedStep[]
  /** Stores a step. Fails with an error that says so if this execution no longer owns the run. */
  writeStep(name: string, text: string): Promise<void>
  /** Returns the error to throw so that the workflow stays open and another worker can continue it. */
  createHandOver(cause: unknown): Error
}

export interface EngineOptions {
  readonly url: string
  /** The id of this worker. */
  readonly worker: string
  readonly slots: number
  /** Does the work of a run. What it returns is the outcome of the workflow. */
  readonly work: (execution: Execution) => Promise<unknown>
  /** Runs the work while no other process of the fleet does the same. */
  readonly migrate: (work: () => Promise<void>) => Promise<void>
  readonly log: (line: string) => void
}

/**
 * DBOS in this process: runs are workflows, and what a run has done are their steps. DBOS allows one instance for each process, so a process is
 * one worker.
 */
export class FleetEngine {
  readonly #dbos: typeof import('@dbos-inc/dbos-sdk')
  readonly #client: DBOSClient
  readonly #workflow: (runId: string) => Promise<unknown>
  readonly #queue: string
  readonly #pool: Pool
  /** Leaves the context of a workflow: what is started when a run has ended must not become a child of that run. */
  readonly #outside = AsyncLocalStorage.snapshot()

  private constructor(
    dbos: typeof import('@dbos-inc/dbos-sdk'),
    client: DBOSClient,
    workflow: (runId: string) => Promise<unknown>,
    queue: string,
    pool: Pool,
  ) {
    this.#dbos = dbos
    this.#client = client
    this.#workflow = workflow
    this.#queue = queue
    this.#pool = pool
  }

  static async launch({ url, worker, slots, work, migrate, log }: EngineOptions): Promise<FleetEngine> {
    const dbos = await loadDbos()
    const { DBOS, DBOSWorkflowConflictError } = dbos
    const logger = createLogger(log)
    const pool = await openEnginePool(url, slots + 4)
    const client = await openClient(url, logger)
    const workflow = DBOS.registerWorkflow(
      async (startedAs: string) => {
        // A forked workflow has the input of the original.
        const runId = DBOS.workflowID ?? startedAs
        // Read beside the workflow: inside, reading the steps would be a step.
        const stored = await client.listWorkflowSteps(runId)
        const recordedSteps = await replaySteps(DBOS, runId, stored ?? [])
        const inWorkflow = AsyncLocalStorage.snapshot()
        return await work({
          runId,
          recordedSteps,
          writeStep: async (name, text) => {
            await inWorkflow(() => DBOS.runStep(() => Promise.resolve(text), { name }))
          },
          createHandOver: (cause) => Object.assign(new DBOSWorkflowConflictError(runId), { cause }),
        })
      },
      { name: WORKFLOW },
    )
    const queue = `haft-${worker}`
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      applicationVersion: `layout-${STEP_LAYOUT}`,
      executorID: worker,
      serializer: fleetSerializer,
      listenQueues: [queue],
      schedulerPollingIntervalMs: UNUSED_SCHEDULE_POLL_MS,
      useListenNotify: false,
      logger,
    })
    const registerQueue = () => client.registerQueue(queue, { minPollingIntervalMs: QUEUE_POLL_MS })
    // The queue must exist when the engine starts, and the first worker of a fleet creates the tables for it.
    await registerQueue().catch(() => migrate(() => DBOS.migrate(url)).then(registerQueue))
    await DBOS.launch()
    return new FleetEngine(dbos, client, workflow, queue, pool)
  }

  /** Begins with a run that was never started. */
  async start(runId: string): Promise<void> {
    const { DBOS } = this.#dbos
    const handle = await this.#outside(() => DBOS.startWorkflow(this.#workflow, { workflowID: runId })(runId))
    // The work reports its own end. The result of the workflow is only for those who look at it in DBOS.
    handle.getResult().catch(() => undefined)
  }

  /** Continues a run here. From now on, no earlier execution can write a step. Returns the outcome if the run has ended already. */
  async resume(runId: string): Promise<{ readonly outcome: unknown } | undefined> {
    const status = await this.#client.getWorkflow(runId)
    if (status === undefined || status === null) {
      await this.start(runId)
      return undefined
    }
    if (status.status === 'SUCCESS') return { outcome: status.output }
    if (status.status === 'ERROR') return { outcome: { state: 'failed', problem: reasonOf(status.error) } }
    await this.#client.resumeWorkflow(runId, { queueName: this.#queue })
    return undefined
  }

  async shutdown(): Promise<void> {
    await this.#client.deleteQueue(this.#queue).catch(() => undefined)
    await this.#dbos.DBOS.shutdown()
    await this.#client.destroy()
    await this.#pool.end()
  }
}

/** Opens the connections of the engine. Its own pool would send a statement while another one runs, which pg warns about. */
async function openEnginePool(url: string, size: number): Promise<Pool> {
  const { Pool } = await loadPg()
  const options = '-c idle_in_transaction_session_timeout=60000'
  const pool = new Pool({ connectionString: url, max: size, application_name: 'haft engine', options })
  // A connection that breaks while it is idle is replaced with the next statement.
  pool.on('error', () => {})
  return pool
}

/** Opens a client of the engine, for processes that run no workflows. */
export async function openClient(url: string, logger = createLogger(() => {})): Promise<DBOSClient> {
  const { DBOSClient } = await loadDbos()
  const pool = await openEnginePool(url, CLIENT_POOL_SIZE)
  const client = await DBOSClient.create({
    ...{ systemDatabaseUrl: url, systemDatabasePool: pool, serializer: fleetSerializer, logger },
    applicationName: APPLICATION,
  })
  // The client does not close a pool that it did not open.
  const destroy = client.destroy.bind(client)
  client.destroy = async () => {
    await destroy()
    await pool.end()
  }
  return client
}

/** Passes over the steps that are already stored, and returns their texts. DBOS counts steps in the order in which they begin. */
async function replaySteps(
  DBOS: typeof import('@dbos-inc/dbos-sdk').DBOS,
  runId: string,
  stored: readonly { readonly functionID: number; readonly name: string }[],
): Promise<readonly RecordedStep[]> {
  for (const [index, { functionID }] of stored.entries())
    if (functionID !== index) throw new Error(`The journal of run ${runId} has no step ${index}.`)
  const texts = stored.map(({ name }) => DBOS.runStep<unknown>(refuseToRun, { name }))
  const outputs = await Promise.all(texts)
  return stored.map(({ name }, index) => ({ name, text: String(outputs[index] ?? '') }))
}

function refuseToRun(): Promise<unknown> {
  return Promise.reject(new Error('A stored step was lost.'))
}

function createLogger(log: (line: string) => void): DLogger {
  return {
    info: () => {},
    debug: () => {},
    warn: (entry) => log(String(entry)),
    error: (entry) => log(reasonOf(entry)),
  }
}
