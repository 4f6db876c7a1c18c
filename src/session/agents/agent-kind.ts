import type { AgentDefinition } from '../../contract/tool/context.js'

/** A kind of sub-agent with all that it takes to run one. */
export interface AgentKind extends AgentDefinition {
  /** Where it comes from: what a project says can make an agent stricter, never looser. */
  readonly source: 'built-in' | 'user' | 'project'
  /** Its system prompt; that of the main conversation if left out. */
  readonly prompt?: string
  /** The only kinds that it may start itself; all if left out. */
  readonly agents?: readonly string[]
  /** It goes on from the conversation of its parent, whose requests its own begin with. */
  readonly isFork?: true
  /** The file that it was read from. */
  readonly path?: string
}
