import { existsSync } from 'node:fs'
import { toScheduleFolder } from '../../../ports/schedule/schedule-folder.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { delay } from '../../../shared/waiting.js'
import type { TerminalApp } from '../../../terminal/app/terminal-app.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import type { AgentOptions } from '../../options/agent-options.js'

interface ScheduledRunsOptions {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly settings: LoadedSettings
  readonly options: AgentOptions
  readonly app: TerminalApp
  readonly signal: AbortSignal
}

/** Long enough that a schedule service, which looks every second, comes first. */
const POLL_MS = 20_000
const MAX_RUNS = 2

/**
 * Starts durable runs of this project while a session is open, so that they need no service. They run in the background
 * as sessions of their own. The code is loaded when the project has a schedule.
 */
export async function startScheduledRuns(parts: ScheduledRunsOptions): Promise<void> {
  const { io, host, settings, options, app, signal } = parts
  const folder = toScheduleFolder(host.homeDir, settings.projectRoot)
  while (!signal.aborted && !existsSync(folder)) await delay(POLL_MS, signal)
  if (signal.aborted) return
  const [{ findOwnProgram, ScheduleRunner }, { ScheduleStore }] = await Promise.all([
    import('../schedule/schedule-runner.js'),
    import('../../../ports/schedule/schedule-store.js'),
  ])
  const store = new ScheduleStore(folder, settings.projectRoot)
  const runner = new ScheduleRunner({
    schedules: () => [store],
    program: findOwnProgram(),
    runOptions: options.model === undefined ? [] : ['--model', options.model],
    maxRuns: MAX_RUNS,
    variables: io.variables,
    report: (line) => app.transcript.addNotice('info', `Schedule: ${line}`),
  })
  await runner.run(signal, POLL_MS)
}
