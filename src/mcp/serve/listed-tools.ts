import { isSpecType, type Tool as McpTool } from '@modelcontextprotocol/server'
import type { ToolCallError } from '../../contract/errors.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { findToolByName, isMcpTool } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { getConstantTrait } from '../../contract/tool/traits.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { selectForwardedMeta } from '../client/exchange.js'
import { READ_RESULT, READ_RESULT_DEFINITION } from './result-pages.js'

/** The token limit for the tool list of a gateway. It is 200 below the documented 2,000, because the count is an estimate. */
const MAX_LIST_TOKENS = 1_800
/** The part of that limit for tools that are always loaded. */
const MAX_ALWAYS_LOADED_TOKENS = 900
/** The token limit for the names of unlisted tools outside gateway mode. */
const MAX_NAMES_TOKENS = 1_500
const MAX_TITLE_CHARS = 80

export const CALL_BY_NAME = 'CallTool'

/** A tool that calls any other tool by name, for clients that call only listed tools. */
const CALL_BY_NAME_DEFINITION: ToolDefinition = {
  name: CALL_BY_NAME,
  description:
    'Calls any tool by name, including tools that are not in your tool list. Use ToolSearch first to find the tool and its parameters.',
  input_schema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool, as returned by ToolSearch' },
      arguments: { type: 'object', description: 'Arguments that match the schema of the tool' },
    },
    required: ['name'],
    additionalProperties: false,
  },
}

interface NamedCall {
  readonly name: string
  readonly input: unknown
}

/** Unwraps a call of `CallTool`. Returns an error message if its input is invalid. */
export function resolveNamedCall({ name, input }: NamedCall): NamedCall | string {
  if (name !== CALL_BY_NAME) return { name, input }
  const { name: toolName, arguments: args = {} } = isRecord(input) ? input : {}
  if (typeof toolName !== 'string' || toolName === '')
    return `${CALL_BY_NAME} requires the name of a tool: {"name": "…", "arguments": {…}}.`
  return toolName === CALL_BY_NAME ? `${CALL_BY_NAME} cannot call itself.` : { name: toolName, input: args }
}

export interface ListingOptions {
  readonly runtime: ServedRuntime
  /** Whether to list only the search tool, `CallTool` and always-loaded tools. */
  readonly isGateway: boolean
  /** The unvalidated entry from the server's tool list. */
  readonly findRawEntry: (tool: Tool) => unknown
  readonly countTokens: (text: string) => number
}

/** Returns the tools listed for clients. Clients may also call tools of the pool that are not listed. */
export async function listTools(options: ListingOptions): Promise<readonly McpTool[]> {
  const { runtime, isGateway } = options
  const definitions = await runtime.definitions()
  if (isGateway) return listGatewayTools(definitions, options)
  const listedDefinitions = definitions.filter(({ name }) => {
    const tool = findToolByName(runtime.pool, name)
    return tool !== undefined && !runtime.isDeferred(tool)
  })
  const isComplete = listedDefinitions.length === definitions.length
  const ownDefinitions = [...(isComplete ? [] : [CALL_BY_NAME_DEFINITION]), READ_RESULT_DEFINITION]
  const tools = [...listedDefinitions, ...ownDefinitions].map((definition) => toListedTool(definition, options))
  return isComplete
    ? tools
    : addToolNames(tools, await runtime.getAnnouncement(), MAX_NAMES_TOKENS, options.countTokens)
}

async function listGatewayTools(
  definitions: readonly ToolDefinition[],
  options: ListingOptions,
): Promise<readonly McpTool[]> {
  const { runtime, countTokens } = options
  const countToolTokens = (tool: McpTool): number => countTokens(JSON.stringify(tool))
  const alwaysListedTools = [
    ...definitions.filter(({ name }) => findToolByName(runtime.pool, name)?.findsTools === true),
    CALL_BY_NAME_DEFINITION,
  ]
  const tools = alwaysListedTools.map((definition) => toListedTool(definition, options))
  let remainingTokens = MAX_LIST_TOKENS - tools.reduce((sum, tool) => sum + countToolTokens(tool), 0)
  let remainingAlwaysTokens = MAX_ALWAYS_LOADED_TOKENS
  for (const definition of definitions) {
    if (!isAlwaysLoaded(definition.name, options)) continue
    const tool = toListedTool(definition, options)
    const tokens = countToolTokens(tool)
    // A tool that does not fit can still be found by search.
    if (tokens > remainingAlwaysTokens) continue
    remainingTokens -= tokens
    remainingAlwaysTokens -= tokens
    tools.push(tool)
  }
  runtime.markDisclosed(tools.map(({ name }) => name))
  return addToolNames(tools, await runtime.getAnnouncement(), remainingTokens, countTokens)
}

function isAlwaysLoaded(name: string, { runtime, findRawEntry }: ListingOptions): boolean {
  const tool = findToolByName(runtime.pool, name)
  const raw = tool && findRawEntry(tool)
  return isRecord(raw) && isRecord(raw._meta) && raw._meta['anthropic/alwaysLoad'] === true
}

/** Adds the names of unlisted tools to the description of `CallTool`, as far as they fit. */
function addToolNames(
  tools: readonly McpTool[],
  names: string,
  remainingTokens: number,
  countTokens: (text: string) => number,
): readonly McpTool[] {
  const shortNames = shortenToFit(names, remainingTokens, countTokens)
  if (shortNames === '') return tools
  return tools.map((tool) =>
    tool.name === CALL_BY_NAME_DEFINITION.name
      ? { ...tool, description: `${tool.description}\n\n${shortNames}` }
      : tool,
  )
}

const MORE_TOOLS_HINT = 'More tools are available through ToolSearch.'

function shortenToFit(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  if (countTokens(text) <= maxTokens) return text
  const lines = text.split('\n')
  const shortenTo = (count: number): string => [...lines.slice(0, count), MORE_TOOLS_HINT].join('\n')
  // A binary search: counting the tokens after each of thousands of lines would take seconds.
  let fittingCount = 0
  for (let tooHighCount = lines.length; tooHighCount - fittingCount > 1; ) {
    const count = Math.floor((fittingCount + tooHighCount) / 2)
    if (countTokens(shortenTo(count)) <= maxTokens) fittingCount = count
    else tooHighCount = count
  }
  return fittingCount === 0 ? '' : shortenTo(fittingCount)
}

function toListedTool(
  { name, description, input_schema }: ToolDefinition,
  { runtime, findRawEntry }: ListingOptions,
): McpTool {
  const tool = findToolByName(runtime.pool, name)
  const inputSchema = { ...input_schema, type: 'object' as const }
  if (tool === undefined)
    return { name, description, inputSchema, ...(name === READ_RESULT && { annotations: { readOnlyHint: true } }) }
  const metadata = isMcpTool(tool) ? readServerMetadata(findRawEntry(tool)) : { annotations: annotate(tool) }
  return { name, description, inputSchema, ...metadata }
}

/** Describes a built-in tool by its traits. A trait that depends on the input counts as the less harmless value. */
function annotate(tool: Tool): NonNullable<McpTool['annotations']> {
  const isReadOnly = getConstantTrait(tool, 'isReadOnly') === true
  return {
    title: tool.name,
    readOnlyHint: isReadOnly,
    destructiveHint: !isReadOnly && getConstantTrait(tool, 'isDestructive') !== false,
    openWorldHint: getConstantTrait(tool, 'isOpenWorld') !== false,
  }
}

/** Returns the metadata from the server without the output schema, because a shortened result would not match it. */
function readServerMetadata(raw: unknown): Pick<McpTool, 'title' | 'annotations' | '_meta'> {
  if (!isRecord(raw)) return {}
  const { title, annotations, _meta } = raw
  return {
    ...(typeof title === 'string' && { title: cutText(title, MAX_TITLE_CHARS) }),
    ...(isSpecType.ToolAnnotations(annotations) && { annotations }),
    ...selectForwardedMeta(_meta),
  }
}

export interface ServedCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: unknown) => void
}

export interface ServedOutcome {
  /** The result as a model would receive it: within its size limit and after hooks. */
  readonly block: ToolResultBlock
  readonly error?: ToolCallError
}

/** The part of the runtime that serving needs. */
export interface ServedRuntime {
  /** All tools that can be called. */
  readonly pool: Tools
  /** Returns the definitions of the whole pool. */
  definitions(): Promise<readonly ToolDefinition[]>
  /** Whether a tool is announced by name only. */
  isDeferred(tool: Tool): boolean
  /** Records that clients have received the schemas of these tools. */
  markDisclosed(names: readonly string[]): void
  /** Returns text with the names of deferred tools; empty if there are none. */
  getAnnouncement(): Promise<string>
  call(toolUse: ToolUseBlock, options: ServedCallOptions): Promise<ServedOutcome>
}
