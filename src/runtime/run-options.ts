import type { Message } from '../contract/messages.js'

export interface RunOptions {
  /** Cancels the calls; each still gets its result. */
  readonly signal?: AbortSignal
  /** The conversation so far, for tools that look at it. */
  readonly messages?: readonly Message[]
}

export interface ForkOptions {
  readonly agentId?: string
  /** Where the sub-agent works; where its parent does if left out. */
  readonly cwd?: string
  /** The conversation that the sub-agent begins with; none if left out. */
  readonly messages?: readonly Message[]
}
