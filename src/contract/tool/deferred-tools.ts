import { isRecord } from '../../shared/is-record.js'
import { feature } from '../build-flags.js'
import type { AttachmentMessage, Message, ToolDefinition, ToolResultContent } from '../messages.js'
import { isMcpTool, type ToolIdentity, type ToolLoading, type ToolRoles } from './identity.js'

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

const DISCOVERED_TOOLS = 'discovered_tools'

/** The record of a discovery in the message stream: what was found stays found, whatever becomes of the result. */
export function discoveredTools(names: readonly string[]): AttachmentMessage {
  return { type: 'attachment', kind: DISCOVERED_TOOLS, data: { names } }
}

/** The tools that a conversation has discovered, each once, in the order of discovery. */
export function extractDiscoveredToolNames(messages: readonly Message[]): string[] {
  const names = new Set<string>()
  for (const message of messages) {
    for (const name of attachedNames(message)) names.add(name)
    for (const name of referencedIn(message)) names.add(name)
  }
  return [...names]
}

/** The tools whose definition a provider has loaded by a reference that is still in the conversation. */
export function referencedToolNames(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(referencedIn))
}

/** A transcript may be of any age and from anywhere: what is no list of names is none. */
function attachedNames(message: Message): readonly string[] {
  if (message.type !== 'attachment' || message.kind !== DISCOVERED_TOOLS || !isRecord(message.data)) return []
  const { names } = message.data
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function referencedIn(message: Message): readonly string[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content !== 'string' ? block.content.flatMap(namedBy) : [],
  )
}

function namedBy(block: ToolResultContent): readonly string[] {
  return block.type === 'tool_reference' ? [block.tool_name] : []
}

/** Definitions as text, a line for each tool: how a model learns of tools where the provider loads none by itself. */
export function functionsBlock(definitions: readonly ToolDefinition[]): string {
  return ['<functions>', ...definitions.map(functionLine), '</functions>'].join('\n')
}

function functionLine({ description, name, input_schema }: ToolDefinition): string {
  return `<function>${JSON.stringify({ description, name, parameters: input_schema }).replaceAll('</', ESCAPED)}</function>`
}

/** The same in JSON, but no server's description can close the block around it. */
const ESCAPED = '<\\/'
