import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { restoreRuntime } from '../../../session/transcript/carry-state.js'
import type { ResumedSession } from '../../../session/transcript/resume-session.js'
import type { PrintOptions } from './print-options.js'

/** What an earlier process left: the tools it had found, what it knew of files, todos and the like. */
export async function takeOver(
  resumed: ResumedSession,
  runtime: HaftRuntime,
  { settings }: Pick<PrintOptions, 'settings'>,
): Promise<void> {
  const { mode } = resumed
  restoreRuntime(runtime, resumed)
  // Planning is kept up; a mode that allows more has to be asked for again.
  if (mode === 'plan' && settings['permission-mode'] === undefined)
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode }])
}
