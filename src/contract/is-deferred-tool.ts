import { feature } from './feature.js'
import { isMcpTool, type ToolIdentity, type ToolLoading, type ToolRoles } from './tool-identity.js'

/** What is known of the way to the user; it decides whether two tools can be deferred. */
export interface UserChannel {
  readonly briefIsChannel: boolean
  readonly bridgeConnected: boolean
}

const DEFAULT_CHANNEL: UserChannel = { briefIsChannel: true, bridgeConnected: false }

/** Whether a tool is announced by name only and loaded by tool search. */
export function isDeferredTool(tool: ToolIdentity & ToolLoading & ToolRoles, channel?: UserChannel): boolean {
  return loadingOf(tool, channel).isDeferred
}

/** What decides it. */
export type LoadingCause =
  | 'always-load'
  | 'server-tool'
  | 'search-itself'
  | 'fork'
  | 'channel'
  | 'should-defer'
  | 'nothing-said'

/** The same with its cause. The order of the questions is part of the contract. */
export function loadingOf(
  tool: ToolIdentity & ToolLoading & ToolRoles,
  channel: UserChannel = DEFAULT_CHANNEL,
): { readonly isDeferred: boolean; readonly cause: LoadingCause } {
  const cause = causeOf(tool, channel)
  return { isDeferred: cause === 'server-tool' || cause === 'should-defer', cause }
}

function causeOf(tool: ToolIdentity & ToolLoading & ToolRoles, channel: UserChannel): LoadingCause {
  if (tool.alwaysLoad === true) return 'always-load'
  if (isMcpTool(tool)) return 'server-tool'
  if (tool.findsTools === true) return 'search-itself'
  if (feature('FORK_SUBAGENT') && tool.startsAgents === true) return 'fork'
  if (feature('KAIROS') && channel.briefIsChannel) {
    if (tool.userChannel === 'text') return 'channel'
    if (tool.userChannel === 'files' && channel.bridgeConnected) return 'channel'
  }
  return tool.shouldDefer === true ? 'should-defer' : 'nothing-said'
}
