import type { DenialTracking } from '../contract/host-state.js'
import type { AppState, StatePort } from '../contract/ports/state.js'
import { NO_DENIALS } from '../permissions/denial-tracking.js'

/** What one agent keeps. A sub-agent has its own; only the state of background work reaches the root from any depth. */
export interface AgentState {
  readonly port: StatePort
  denials: DenialTracking
  readonly inProgress: () => ReadonlySet<string>
  fork(): AgentState
}

export function createAgentState(initial: AppState = {}, root?: StatePort): AgentState {
  let state = initial
  let inProgress: ReadonlySet<string> = new Set()
  const port: StatePort = {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks: (update) => (root === undefined ? port.setAppState(update) : root.setAppStateForTasks(update)),
    setInProgressToolUseIDs(update) {
      inProgress = update(inProgress)
    },
    setHasInterruptibleToolInProgress() {},
  }
  return {
    port,
    denials: NO_DENIALS,
    inProgress: () => inProgress,
    // A copy as it is now: what the sub-agent sets stays its own.
    fork: () => createAgentState(state, root ?? port),
  }
}
