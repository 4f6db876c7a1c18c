import type { Model } from '../../contract/model/model.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import { Spending } from '../conversation/spending.js'
import type { AgentKind } from './agent-kind.js'
import type { AgentsOptions } from './agents-options.js'

/** What an agent hands on to those that it starts. */
export interface AgentSetting {
  readonly runtime: SessionRuntime
  readonly model: Model
  readonly system: readonly string[]
  readonly conversationId: string | undefined
  /** Undefined for the main conversation. */
  readonly kind: AgentKind | undefined
  readonly spending: Spending
  /** Agents in the background that it started: it is not let go of before they have ended. */
  readonly background: Set<Promise<unknown>>
}

/** Known by their runtime: the ports of an agent are made from that. */
export class AgentSettings {
  readonly #known = new WeakMap<SessionRuntime, AgentSetting>()
  readonly #options: AgentsOptions
  readonly #total = new Spending()
  readonly #background = new Set<Promise<unknown>>()

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  /** One that nobody started is the main conversation, or goes by it. */
  of(runtime: SessionRuntime): AgentSetting {
    const known = this.#known.get(runtime)
    if (known !== undefined) return known
    const { model, system, conversationId, spending = this.#total } = this.#options.main()
    const background = this.#background
    return { runtime, model, system, conversationId, kind: undefined, spending, background }
  }

  add(setting: AgentSetting): void {
    this.#known.set(setting.runtime, setting)
  }
}
