import { feature } from './feature.js'
import { isMcpTool, type ToolIdentity, type ToolLoading } from './tool-identity.js'

/** What is known of the way to the user; it decides whether two tools can be deferred. */
export interface UserChannel {
  readonly briefIsChannel: boolean
  readonly bridgeConnected: boolean
}

const DEFAULT_CHANNEL: UserChannel = { briefIsChannel: true, bridgeConnected: false }

/** Whether a tool is announced by name only and loaded by tool search. The order of the questions is part of the contract. */
export function isDeferredTool(tool: ToolIdentity & ToolLoading, channel: UserChannel = DEFAULT_CHANNEL): boolean {
  if (tool.alwaysLoad === true) return false
  if (isMcpTool(tool)) return true
  if (tool.name === 'ToolSearch') return false
  if (feature('FORK_SUBAGENT') && tool.name === 'Agent') return false
  if (feature('KAIROS') && channel.briefIsChannel) {
    if (tool.name === 'Brief') return false
    if (tool.name === 'SendUserFile' && channel.bridgeConnected) return false
  }
  return tool.shouldDefer === true
}
