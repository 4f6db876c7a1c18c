import type { SupervisedProcesses } from '../system/processes/supervised-processes.js'
import type { HookPayload } from './hook-payload.js'
import type { HookPorts } from './hook-ports.js'

/** What every kind of hook gets for one run. */
export interface HookCall {
  readonly payload: HookPayload
  /** The payload as JSON, made once for all hooks of the event. */
  readonly json: string
  /** Aborts at the time limit of the hook, or when its caller calls it off. */
  readonly signal: AbortSignal
  /** Owns the process trees of commands; loaded when the first command runs. */
  readonly processes: () => Promise<SupervisedProcesses>
  readonly projectDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly ports: HookPorts
}
