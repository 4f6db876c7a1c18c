import type { AgentRuntime, ForkOptions } from '../contract/runtime.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'

/** What a session needs of the tools: a `HaftRuntime` is one. */
export interface SessionRuntime extends AgentRuntime {
  /** The hooks as this agent runs them, for events of the conversation; undefined where there are none. */
  readonly hooks: HookRunner | undefined
  fork(options?: ForkOptions): SessionRuntime
}
