import type { Model, ModelUsage } from '../../contract/model.js'
import type { AppState } from '../../contract/ports/state.js'
import type { SessionRuntime } from '../session-runtime.js'

export interface ContextKeeperOptions {
  readonly runtime: SessionRuntime
  /** What the conversation has noted: todos, the plan. */
  readonly state?: () => AppState
  /** Told what a summary used, so that it is a part of the cost. */
  readonly onUsage?: (usage: ModelUsage, model: Model) => void
}
