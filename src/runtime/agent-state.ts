import type { PermissionDecided } from '../contract/events.js'
import type { DenialTracking } from '../contract/host/host-state.js'
import type { AppState, StatePort } from '../contract/ports/state.js'
import { NO_DENIALS, recordDenial, recordSuccess } from '../permissions/auto-mode/denial-tracking.js'

/** The state of one agent. A sub-agent has its own; only the state of background tasks is stored in the root agent. */
export interface AgentState {
  readonly port: StatePort
  /** Denials by the classifier of auto mode. */
  readonly denials: DenialTracking
  countDecision(decision: Pick<PermissionDecided, 'behavior' | 'reason'>): void
  fork(): AgentState
}

/** The state of the main agent. Uses the port of the host if there is one. */
export function createAgentState(hostPort?: StatePort): AgentState {
  return createState(hostPort ?? createStatePort({}))
}

function createState(port: StatePort, root = port): AgentState {
  let denials = NO_DENIALS
  return {
    port,
    get denials() {
      return denials
    },
    countDecision({ behavior, reason }) {
      if (behavior === 'deny' && reason.type === 'classifier') denials = recordDenial(denials)
      else if (behavior === 'allow') denials = recordSuccess(denials)
    },
    // A snapshot: changes of the sub-agent do not affect its parent.
    fork: () => createState(createStatePort(port.getAppState(), root), root),
  }
}

function createStatePort(initialState: AppState, root?: StatePort): StatePort {
  let state = initialState
  const port: StatePort = {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks: (update) => (root === undefined ? port.setAppState(update) : root.setAppStateForTasks(update)),
    // Only needed by user interfaces, which provide their own port.
    setInProgressToolUseIDs() {},
    setHasInterruptibleToolInProgress() {},
  }
  return port
}
