import type { PermissionDecided } from '../contract/events.js'
import type { DenialTracking, ToolDecision } from '../contract/host/host-state.js'
import type { AppState, StatePort } from '../contract/ports/state.js'
import { NO_DENIALS, recordDenial, recordSuccess } from '../permissions/auto-mode/denial-tracking.js'
import type { AgentState } from './haft-runtime.js'
import type { ToolRuntimeOptions } from './options.js'

/** How many decisions an agent keeps. Older ones are in the transcript. */
const MAX_DECISIONS = 1_000

/** Creates the state of the main agent, in the host's port if it provides one. */
export function createAgentState({ ports, conversation }: ToolRuntimeOptions): AgentState {
  const addNotification: StatePort['addNotification'] = (notification) => conversation?.onNotification?.(notification)
  return new StoredState(ports?.state ?? createStatePort({}, { addNotification }))
}

class StoredState implements AgentState {
  readonly port: StatePort
  readonly #rootPort: StatePort
  readonly #decisions = new Map<string, ToolDecision>()
  /** The running calls, and whether a message of the user may interrupt each of them. */
  readonly #runningCalls = new Map<string, boolean>()
  #denials: DenialTracking = NO_DENIALS

  constructor(port: StatePort, rootPort = port) {
    this.port = port
    this.#rootPort = rootPort
  }

  get denials(): DenialTracking {
    return this.#denials
  }

  get toolDecisions(): ReadonlyMap<string, ToolDecision> {
    return this.#decisions
  }

  recordDecision({ toolUseId, behavior, reason }: Pick<PermissionDecided, 'toolUseId' | 'behavior' | 'reason'>): void {
    // Deleted first, so that a repeated id counts as the newest.
    this.#decisions.delete(toolUseId)
    this.#decisions.set(toolUseId, { behavior, reason })
    const [oldestId] = this.#decisions.keys()
    if (this.#decisions.size > MAX_DECISIONS && oldestId !== undefined) this.#decisions.delete(oldestId)
    if (behavior === 'deny' && reason.type === 'classifier') this.#denials = recordDenial(this.#denials)
    else if (behavior === 'allow') this.#denials = recordSuccess(this.#denials)
  }

  beginCall(toolUseId: string, isInterruptible: boolean): void {
    const hadInterruptible = this.#hasInterruptible
    this.#runningCalls.set(toolUseId, isInterruptible)
    this.port.setInProgressToolUseIDs((ids) => new Set([...ids, toolUseId]))
    if (isInterruptible && !hadInterruptible) this.port.setHasInterruptibleToolInProgress(true)
  }

  endCall(toolUseId: string): void {
    const hadInterruptible = this.#hasInterruptible
    if (!this.#runningCalls.delete(toolUseId)) return
    this.port.setInProgressToolUseIDs((ids) => new Set([...ids].filter((id) => id !== toolUseId)))
    if (hadInterruptible && !this.#hasInterruptible) this.port.setHasInterruptibleToolInProgress(false)
  }

  get #hasInterruptible(): boolean {
    return [...this.#runningCalls.values()].includes(true)
  }

  /** A snapshot: changes of the sub-agent do not affect its parent. */
  fork(): AgentState {
    return new StoredState(createStatePort(this.port.getAppState(), this.#rootPort, this.#rootPort), this.#rootPort)
  }
}

/** Creates a port in memory. With `root`, updates for tasks go there. */
function createStatePort(
  initialState: AppState,
  { addNotification }: Pick<StatePort, 'addNotification'>,
  root?: StatePort,
): StatePort {
  let state = initialState
  const port: StatePort = {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks: (update) => (root === undefined ? port.setAppState(update) : root.setAppStateForTasks(update)),
    // Only user interfaces that provide their own port need to know which calls run; others read events.
    setInProgressToolUseIDs() {},
    setHasInterruptibleToolInProgress() {},
    addNotification: (notification) => addNotification(notification),
  }
  return port
}
