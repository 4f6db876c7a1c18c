import { isRecord } from '../../shared/is-record.js'
import { feature } from '../build-flags.js'
import type { AttachmentMessage, Message, ToolDefinition, ToolResultContent } from '../messages.js'
import { isMcpTool, type ToolIdentity, type ToolLoading, type ToolRoles } from './identity.js'

/** How the agent communicates with the user. A built-in tool that is the channel in use is not deferred. */
export interface UserChannel {
  readonly isBriefChannel: boolean
  readonly isBridgeConnected: boolean
}

const DEFAULT_CHANNEL: UserChannel = { isBriefChannel: true, isBridgeConnected: false }

/** Whether a tool is only announced by name and loaded by tool search. */
export function isDeferredTool(tool: ToolIdentity & ToolLoading & ToolRoles, channel?: UserChannel): boolean {
  return decideLoading(tool, channel).isDeferred
}

/** Why a tool is deferred or not. */
export type LoadingCause =
  | 'always-load'
  | 'server-tool'
  | 'finds-tools'
  | 'fork'
  | 'channel'
  | 'should-defer'
  | 'default'

/** Decides whether a tool is deferred, and why. The order of the checks is part of the contract. */
export function decideLoading(
  tool: ToolIdentity & ToolLoading & ToolRoles,
  channel: UserChannel = DEFAULT_CHANNEL,
): { readonly isDeferred: boolean; readonly cause: LoadingCause } {
  const cause = findLoadingCause(tool, channel)
  return { isDeferred: cause === 'server-tool' || cause === 'should-defer', cause }
}

function findLoadingCause(tool: ToolIdentity & ToolLoading & ToolRoles, channel: UserChannel): LoadingCause {
  if (tool.alwaysLoad === true) return 'always-load'
  if (isMcpTool(tool)) return 'server-tool'
  if (tool.findsTools === true) return 'finds-tools'
  if (feature('FORK_SUBAGENT') && tool.startsAgents === true) return 'fork'
  if (feature('KAIROS') && channel.isBriefChannel) {
    if (tool.userChannel === 'text') return 'channel'
    if (tool.userChannel === 'files' && channel.isBridgeConnected) return 'channel'
  }
  return tool.shouldDefer === true ? 'should-defer' : 'default'
}

const DISCOVERED_TOOLS_KIND = 'discovered_tools'

/** Creates the message that records discovered tools, so that they stay loaded even if the result of the search is removed. */
export function createDiscoveredTools(names: readonly string[]): AttachmentMessage {
  return { type: 'attachment', kind: DISCOVERED_TOOLS_KIND, data: { names } }
}

/** Returns the tools that a conversation has discovered, without duplicates, in order of discovery. */
export function extractDiscoveredToolNames(messages: readonly Message[]): string[] {
  const names = new Set<string>()
  for (const message of messages) {
    for (const name of readAttachedNames(message)) names.add(name)
    for (const name of collectReferencedNames(message)) names.add(name)
  }
  return [...names]
}

/** Returns the tools whose definition the provider has loaded through a reference that is still in the conversation. */
export function extractReferencedToolNames(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(collectReferencedNames))
}

/**
 * Returns the names in a record of discovered tools. Malformed records are skipped, because transcripts may be old or edited.
 */
function readAttachedNames(message: Message): readonly string[] {
  if (message.type !== 'attachment' || message.kind !== DISCOVERED_TOOLS_KIND || !isRecord(message.data)) return []
  const { names } = message.data
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function collectReferencedNames(message: Message): readonly string[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content !== 'string' ? block.content.flatMap(collectToolNames) : [],
  )
}

function collectToolNames(block: ToolResultContent): readonly string[] {
  return block.type === 'tool_reference' ? [block.tool_name] : []
}

/** Formats definitions as text, one line per tool, for models whose provider cannot load deferred tools. */
export function formatFunctionsBlock(definitions: readonly ToolDefinition[]): string {
  return ['<functions>', ...definitions.map(formatFunctionLine), '</functions>'].join('\n')
}

function formatFunctionLine({ description, name, input_schema }: ToolDefinition): string {
  return `<function>${JSON.stringify({ description, name, parameters: input_schema }).replaceAll('</', ESCAPED_TAG_END)}</function>`
}

/**
 * Shortens a block of `formatFunctionsBlock` at the start of a text to the names of the tools, if a request contains exactly
 * these definitions. Returns the text unchanged otherwise.
 */
export function shortenFunctionsBlock(text: string, sentDefinitions: readonly ToolDefinition[]): string {
  const block = /^<functions>\n(.*?)\n<\/functions>/s.exec(text)
  if (block === null) return text
  const [whole, lines = ''] = block
  const sentNames = new Map(sentDefinitions.map((definition) => [formatFunctionLine(definition), definition.name]))
  const names = lines.split('\n').map((line) => sentNames.get(line))
  if (names.includes(undefined)) return text
  return `Loaded: ${names.join(', ')}. You can call ${names.length === 1 ? 'it' : 'them'} now.${text.slice(whole.length)}`
}

/** `</` as equivalent JSON, so that a description from a server cannot close the surrounding block. */
const ESCAPED_TAG_END = '<\\/'
