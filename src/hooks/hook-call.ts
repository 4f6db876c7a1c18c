import type { HookPayload } from './hook-payload.js'
import type { HookPorts } from './hook-ports.js'

/** What every kind of hook gets for one run. */
export interface HookCall {
  readonly payload: HookPayload
  /** The payload as JSON, made once for all hooks of the event. */
  readonly json: string
  /** Aborts at the time limit of the hook, or when its caller calls it off. */
  readonly signal: AbortSignal
  /** The beginning of every run id, by which the runner finds what its commands left behind. */
  readonly runnerId: string
  readonly projectDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly ports: HookPorts
}
