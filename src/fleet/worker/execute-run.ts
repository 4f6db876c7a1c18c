import type { QueryEnd } from '../../session/conversation/session-event.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { FleetDatabase } from '../database/fleet-database.js'
import type { Execution } from '../engine/fleet-engine.js'
import { decodeStep, type JournalEntry, RunJournal } from '../engine/run-journal.js'
import { RunQuestions } from '../questions/run-questions.js'
import { BodyStore } from '../runs/body-store.js'
import type { ClaimedRun } from '../runs/claim-runs.js'
import { FleetError } from '../runs/run-spec.js'
import type { RunResults } from '../runs/run-store.js'
import { RunUsage } from '../runs/run-usage.js'
import { createSchedulePort } from '../schedules/schedule-port.js'
import { RunFolder } from '../workspace/run-folder.js'
import { Workspace } from '../workspace/workspace.js'
import type { OpenRunSession, RunSession } from './run-host.js'

/** How a run ended. Stored as the outcome of its workflow. */
export interface RunOutcome {
  readonly state: 'succeeded' | 'failed'
  readonly endReason: string
  readonly answer?: string
  readonly problem?: string
  readonly results?: RunResults
}

/** What all runs of a worker share. */
export interface RunEnvironment {
  readonly database: FleetDatabase
  readonly worker: string
  readonly openSession: OpenRunSession
  readonly stateFolder: string
  /** Folders below which repositories of this machine may be cloned. */
  readonly localRepositories: readonly string[]
  /** How long a run keeps its slot while it waits for an answer. */
  readonly parkAfterMs?: number | undefined
  readonly log: (line: string) => void
}

/** Thrown when a run waits for a person. Another execution continues it after the answer. */
export class ParkedError extends Error {}

/**
 * Runs or continues one run: restores what earlier executions did, and lets the session write everything to the journal. Rejects if the run is not over: it
 * was put aside, paused or cancelled, or another worker has it.
 */
export async function executeRun(
  environment: RunEnvironment,
  run: ClaimedRun,
  execution: Execution,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const bodies = new BodyStore(environment.database, run.tenant)
  const entries = await readEntries(execution, bodies)
  const recordedEnd = entries.findLast((entry) => entry.type === 'end')
  if (recordedEnd?.type === 'end') return recordedEnd.outcome as RunOutcome
  const folder = new RunFolder(environment.stateFolder, run.id)
  const workspace = new Workspace(folder, run.spec, { localRepositories: environment.localRepositories, signal })
  const journal = new RunJournal({
    writeStep: execution.writeStep,
    storeBody: bodies.store,
    collect: async (lines) => [
      ...(await folder.collectFiles(bodies.store)),
      ...(await workspace.collectChanges(lines, bodies.store)),
    ],
  })
  let outcome: RunOutcome
  try {
    await workspace.open(entries, bodies.load)
    const isResumed = await folder.restoreSession(entries, bodies.load)
    outcome = await new RunExecution(environment, run, folder, journal, signal).converse(isResumed)
    if (!signal.aborted && !journal.signal.aborted) {
      const results = await workspace.collectResults(bodies.store)
      if (results !== undefined) outcome = { ...outcome, results }
    }
  } catch (error) {
    if (error instanceof ParkedError) throw execution.createHandOver(error)
    outcome = { state: 'failed', endReason: 'error', problem: describeProblem(error) }
  }
  if (journal.signal.aborted) throw journal.signal.reason
  if (signal.aborted) throw execution.createHandOver(signal.reason)
  journal.add({ type: 'end', outcome })
  await journal.flush()
  await folder.remove()
  return outcome
}

async function readEntries({ recordedSteps }: Execution, bodies: BodyStore): Promise<readonly JournalEntry[]> {
  const steps = await Promise.all(recordedSteps.map(({ text }) => decodeStep(text, bodies.load)))
  return steps.flat()
}

function describeProblem(error: unknown): string {
  return error instanceof FleetError ? error.message : `The run could not be executed: ${reasonOf(error)}`
}

/** One conversation of a run: from the start, or from where the last execution stopped. */
class RunExecution {
  readonly #environment: RunEnvironment
  readonly #run: ClaimedRun
  readonly #folder: RunFolder
  readonly #journal: RunJournal
  readonly #questions: RunQuestions
  readonly #usage: RunUsage
  readonly #stop: AbortSignal

  constructor(
    environment: RunEnvironment,
    run: ClaimedRun,
    folder: RunFolder,
    journal: RunJournal,
    signal: AbortSignal,
  ) {
    const { database, worker, parkAfterMs, log } = environment
    this.#environment = environment
    this.#run = run
    this.#folder = folder
    this.#journal = journal
    this.#questions = new RunQuestions({ database, run, parkAfterMs, log, onPark: () => journal.close() })
    this.#usage = new RunUsage(database, run, worker)
    this.#stop = AbortSignal.any([signal, journal.signal, this.#questions.parked, this.#usage.exceeded])
  }

  async converse(isResumed: boolean): Promise<RunOutcome> {
    const { openSession, log } = this.#environment
    const { id: runId, spec } = this.#run
    const session = await openSession({
      ...{ runId, spec, cwd: this.#folder.work, sessionHome: this.#folder.home, isResumed, log },
      onLine: (line, agentId) => this.#journal.add({ type: 'line', line: this.#folder.toPortable(line), agentId }),
      waitUntilRecorded: () => this.#journal.flush(),
      schedule: createSchedulePort(this.#environment.database, this.#run),
      user: spec.asks === true ? this.#questions.createUser() : undefined,
    })
    try {
      const outcome = await this.#ask(session, isResumed)
      if (this.#questions.parked.aborted) throw new ParkedError()
      return this.#usage.exceeded.aborted ? BUDGET_USED_UP : outcome
    } finally {
      await session.dispose()
    }
  }

  async #ask(session: RunSession, isResumed: boolean): Promise<RunOutcome> {
    if (session.finishedAnswer !== undefined)
      return { state: 'succeeded', endReason: 'completed', answer: session.finishedAnswer }
    for (const notice of await this.#questions.deliverEarlier(this.#stop)) session.addNotice(notice)
    if (this.#stop.aborted) return INTERRUPTED
    const end = await session.ask(isResumed ? undefined : this.#run.spec.prompt, {
      signal: this.#stop,
      onEvent: (event) => {
        if (event.type !== 'message-added' || event.message.type !== 'assistant') return undefined
        return Promise.all([this.#usage.record(session.spent), this.#questions.confirmDelivery()])
      },
    })
    return toOutcome(end)
  }
}

const INTERRUPTED: RunOutcome = { state: 'failed', endReason: 'interrupted' }
const BUDGET_USED_UP: RunOutcome = {
  state: 'failed',
  endReason: 'tenant_budget',
  problem: 'The budget of the tenant for this month is used up.',
}

function toOutcome({ reason, text, message, error }: QueryEnd): RunOutcome {
  const problem = message ?? (error === undefined ? undefined : reasonOf(error))
  return {
    ...{ state: reason === 'completed' ? 'succeeded' : 'failed', endReason: reason, answer: text },
    ...(problem !== undefined && { problem }),
  }
}
