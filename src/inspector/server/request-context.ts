import type { PageAssets } from '../export/html.js'
import type { Workbench } from '../workbench.js'
import type { LiveSessions, SessionLocation } from './live-sessions.js'
import type { PageCalls } from './page-calls.js'

export interface InspectorOptions extends SessionLocation {
  readonly token: string
  readonly assets: PageAssets
  readonly workbench: Workbench
  /** Default: any free port. */
  readonly port?: number
}

/** Everything that the answer to a request depends on. */
export interface RequestContext extends InspectorOptions {
  readonly port: number
  readonly sessions: LiveSessions
  readonly calls: PageCalls
}
