import { feature } from './feature.js'
import { isMcpTool, type ToolIdentity, type ToolLoading } from './tool-identity.js'

/** What is known of the way to the user; it decides whether two tools can be deferred. */
export interface UserChannel {
  readonly briefIsChannel: boolean
  readonly bridgeConnected: boolean
}

const DEFAULT_CHANNEL: UserChannel = { briefIsChannel: true, bridgeConnected: false }

/** Whether a tool is announced by name only and loaded by tool search. */
export function isDeferredTool(tool: ToolIdentity & ToolLoading, channel?: UserChannel): boolean {
  return loadingOf(tool, channel).isDeferred
}

/** The same with its reason, for a person. The order of the questions is part of the contract. */
export function loadingOf(
  tool: ToolIdentity & ToolLoading,
  channel: UserChannel = DEFAULT_CHANNEL,
): { readonly isDeferred: boolean; readonly why: string } {
  if (tool.alwaysLoad === true) return loaded('it asks for that itself')
  if (isMcpTool(tool)) return deferred('tools of servers are')
  if (tool.name === 'ToolSearch') return loaded('it finds the others')
  if (feature('FORK_SUBAGENT') && tool.name === 'Agent') return loaded('sub-agents begin as their parent does')
  if (feature('KAIROS') && channel.briefIsChannel) {
    if (tool.name === 'Brief') return loaded('it is the channel to the user')
    if (tool.name === 'SendUserFile' && channel.bridgeConnected) return loaded('it belongs to the channel to the user')
  }
  return tool.shouldDefer === true ? deferred('it asks for that itself') : loaded('nothing asks for another')
}

function deferred(why: string) {
  return { isDeferred: true, why: `deferred: ${why}` }
}

function loaded(why: string) {
  return { isDeferred: false, why: `always loaded: ${why}` }
}
