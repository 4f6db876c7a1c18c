import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import type { FleetAction } from './open-fleet.js'

const loadRuns = () => import('./run-actions.js')
const loadOperator = () => import('./operator-actions.js')

const ACTIONS: Readonly<Record<string, () => Promise<FleetAction>>> = {
  submit: async () => (await loadRuns()).submitRun,
  list: async () => (await loadRuns()).listRuns,
  show: async () => (await loadRuns()).showRun,
  logs: async () => (await loadRuns()).printLogs,
  fetch: async () => (await loadRuns()).fetchResult,
  cancel: async () => (await loadRuns()).changeRuns('cancel'),
  pause: async () => (await loadRuns()).changeRuns('pause'),
  resume: async () => (await loadRuns()).changeRuns('resume'),
  retry: async () => (await loadRuns()).retryRun,
  fork: async () => (await loadRuns()).forkRun,
  ask: async () => (await import('./question-actions.js')).askPerson,
  answer: async () => (await import('./question-actions.js')).answerQuestion,
  schedule: async () => (await import('./schedule-actions.js')).manageSchedules,
  tenant: async () => (await loadOperator()).manageTenants,
  token: async () => (await loadOperator()).manageTokens,
  limit: async () => (await loadOperator()).setLimit,
  stats: async () => (await loadOperator()).printStats,
  serve: async () => (await import('./serve-action.js')).serveApi,
}

/** `haft fleet`: submits, lists and controls runs of a fleet. */
export async function runFleet(io: CommandIo): Promise<number> {
  const [name = 'list', ...args] = io.args
  const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (load === undefined) throw new UsageError(`unknown action ${quote(name)}. Use ${Object.keys(ACTIONS).join(', ')}.`)
  const action = await load()
  const { FleetError } = await import('../../../fleet/runs/run-spec.js')
  try {
    return await action(io, args)
  } catch (error) {
    if (error instanceof FleetError && error.code === 'invalid') throw new UsageError(error.message, { cause: error })
    throw error
  }
}
