import { isSpecType, type Tool as McpTool } from '@modelcontextprotocol/server'
import type { ToolCallError } from '../../contract/errors.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'

/** Token limit for the tool list of a gateway. 200 less than the promised 2,000, because the count is an estimate. */
const MAX_TOKENS = 1_800
/** The share of that for tools that are always loaded. */
const MAX_ALWAYS_TOKENS = 900
/** Token limit for the names of unlisted tools, without gateway mode. */
const MAX_NAMES_TOKENS = 1_500
const MAX_TITLE_CHARS = 80

export const CALL_BY_NAME = 'CallTool'

/** For clients that call only listed tools. */
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
  const { name: inner, arguments: args = {} } = isRecord(input) ? input : {}
  if (typeof inner !== 'string' || inner === '')
    return `${CALL_BY_NAME} requires the name of a tool: {"name": "…", "arguments": {…}}.`
  return inner === CALL_BY_NAME ? `${CALL_BY_NAME} cannot call itself.` : { name: inner, input: args }
}

export interface ListingOptions {
  readonly runtime: ServedRuntime
  /** List only the search tool, `CallTool` and always-loaded tools. */
  readonly isGateway: boolean
  /** The unvalidated entry from the server's tool list. */
  readonly rawEntry: (tool: Tool) => unknown
  readonly countTokens: (text: string) => number
}

/** The tools listed for clients. Clients may call every other tool of the pool as well. */
export async function listedTools(options: ListingOptions): Promise<readonly McpTool[]> {
  const { runtime, isGateway } = options
  const definitions = await runtime.definitions()
  if (isGateway) return gatewayTools(definitions, options)
  const shown = definitions.filter(({ name }) => {
    const tool = findToolByName(runtime.pool, name)
    return tool !== undefined && !runtime.isDeferred(tool)
  })
  const isAll = shown.length === definitions.length
  const tools = [...shown, ...(isAll ? [] : [CALL_BY_NAME_DEFINITION])].map((each) => toMcpTool(each, options))
  return isAll ? tools : withNames(tools, await runtime.announcement(), MAX_NAMES_TOKENS, options.countTokens)
}

async function gatewayTools(
  definitions: readonly ToolDefinition[],
  options: ListingOptions,
): Promise<readonly McpTool[]> {
  const { runtime, countTokens } = options
  const cost = (tool: McpTool): number => countTokens(JSON.stringify(tool))
  const alwaysListed = [
    ...definitions.filter(({ name }) => findToolByName(runtime.pool, name)?.findsTools === true),
    CALL_BY_NAME_DEFINITION,
  ]
  const tools = alwaysListed.map((each) => toMcpTool(each, options))
  let left = MAX_TOKENS - tools.reduce((sum, tool) => sum + cost(tool), 0)
  let leftForAlways = MAX_ALWAYS_TOKENS
  for (const definition of definitions) {
    if (!isAlwaysLoaded(definition.name, options)) continue
    const tool = toMcpTool(definition, options)
    const tokens = cost(tool)
    // A tool that does not fit can still be found by search.
    if (tokens > leftForAlways) continue
    left -= tokens
    leftForAlways -= tokens
    tools.push(tool)
  }
  runtime.markDisclosed(tools.map(({ name }) => name))
  return withNames(tools, await runtime.announcement(), left, countTokens)
}

function isAlwaysLoaded(name: string, { runtime, rawEntry }: ListingOptions): boolean {
  const tool = findToolByName(runtime.pool, name)
  const raw = tool && rawEntry(tool)
  return isRecord(raw) && isRecord(raw._meta) && raw._meta['anthropic/alwaysLoad'] === true
}

/** Adds the names of unlisted tools to the description of `CallTool`, as far as they fit. */
function withNames(
  tools: readonly McpTool[],
  names: string,
  left: number,
  countTokens: (text: string) => number,
): readonly McpTool[] {
  const shown = shortenToFit(names, left, countTokens)
  if (shown === '') return tools
  return tools.map((tool) =>
    tool.name === CALL_BY_NAME_DEFINITION.name ? { ...tool, description: `${tool.description}\n\n${shown}` } : tool,
  )
}

const MORE_TOOLS_HINT = 'More tools are available through ToolSearch.'

function shortenToFit(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  if (countTokens(text) <= maxTokens) return text
  const lines = text.split('\n')
  while (lines.length > 1) {
    lines.pop()
    const shorter = [...lines, MORE_TOOLS_HINT].join('\n')
    if (countTokens(shorter) <= maxTokens) return shorter
  }
  return ''
}

function toMcpTool(
  { name, description, input_schema }: ToolDefinition,
  { runtime, rawEntry }: ListingOptions,
): McpTool {
  const tool = findToolByName(runtime.pool, name)
  const inputSchema = { ...input_schema, type: 'object' as const }
  return { name, description, inputSchema, ...(tool !== undefined && serverMetadata(rawEntry(tool))) }
}

/** Metadata from the server. Without the output schema, because a shortened result would not match it. */
function serverMetadata(raw: unknown): Pick<McpTool, 'title' | 'annotations' | '_meta'> {
  if (!isRecord(raw)) return {}
  const { title, annotations, _meta } = raw
  return {
    ...(typeof title === 'string' && { title: title.slice(0, MAX_TITLE_CHARS) }),
    ...(isSpecType.ToolAnnotations(annotations) && { annotations }),
    ...(isRecord(_meta) && { _meta }),
  }
}

export interface ServedCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: unknown) => void
}

export interface ServedOutcome {
  /** The result as a model would get it: within its size limit, after hooks. */
  readonly block: ToolResultBlock
  readonly error?: ToolCallError
}

/** The part of the runtime that serving needs. */
export interface ServedRuntime {
  /** All tools that can be called. */
  readonly pool: Tools
  /** Definitions of the whole pool. */
  definitions(): Promise<readonly ToolDefinition[]>
  /** Whether a tool is announced by name only. */
  isDeferred(tool: Tool): boolean
  /** Records that clients have received the schemas of these tools. */
  markDisclosed(names: readonly string[]): void
  /** Text with the names of deferred tools; empty if there are none. */
  announcement(): Promise<string>
  call(toolUse: ToolUseBlock, options: ServedCallOptions): Promise<ServedOutcome>
}
