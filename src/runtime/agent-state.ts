import type { PermissionDecided } from '../contract/events.js'
import type { DenialTracking } from '../contract/host/host-state.js'
import type { AppState, StatePort } from '../contract/ports/state.js'
import { NO_DENIALS, recordDenial, recordSuccess } from '../permissions/auto-mode/denial-tracking.js'

/** What one agent keeps. A sub-agent has its own; only the state of background work reaches the root from any depth. */
export interface AgentState {
  readonly port: StatePort
  /** How often the classifier of auto mode refused this agent. */
  readonly denials: DenialTracking
  countDecision(decision: Pick<PermissionDecided, 'behavior' | 'reason'>): void
  fork(): AgentState
}

/** The state of the main agent: the host's own where it brings one. */
export function createAgentState(given?: StatePort): AgentState {
  return agentState(given ?? statePort({}))
}

function agentState(port: StatePort, root = port): AgentState {
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
    // A copy as it is now: what the sub-agent sets stays its own.
    fork: () => agentState(statePort(port.getAppState(), root), root),
  }
}

function statePort(initial: AppState, root?: StatePort): StatePort {
  let state = initial
  const port: StatePort = {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks: (update) => (root === undefined ? port.setAppState(update) : root.setAppStateForTasks(update)),
    // For screens, which bring a port of their own.
    setInProgressToolUseIDs() {},
    setHasInterruptibleToolInProgress() {},
  }
  return port
}
