import type { AppState } from '../../contract/ports/state.js'

export interface ContextKeeperOptions {
  /** What the conversation has noted: todos, the plan. */
  readonly state?: () => AppState
}
