import { isSpecType, type Tool as McpTool } from '@modelcontextprotocol/server'
import type { ToolCallError } from '../../contract/errors.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'

/** What a list of tools may cost in a gateway, whatever stands behind it; the rest of 2,000 is for the error of the estimate. */
const MAX_TOKENS = 1_800
/** Of that, for tools that want to be there always. */
const MAX_ALWAYS_TOKENS = 900
/** For names, where nothing else is bounded. */
const MAX_NAMES_TOKENS = 1_500
const MAX_TITLE_CHARS = 80

export const CALL_BY_NAME = 'CallTool'

/** For clients that only call what their list has. */
const CALL_BY_NAME_DEFINITION: ToolDefinition = {
  name: CALL_BY_NAME,
  description:
    'Calls any tool by its name, also one that is not in your list of tools. Find the tool and its parameters with ToolSearch first.',
  input_schema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool, as ToolSearch gives it' },
      arguments: { type: 'object', description: "The tool's own parameters, by its schema" },
    },
    required: ['name'],
    additionalProperties: false,
  },
}

interface NamedCall {
  readonly name: string
  readonly input: unknown
}

/** The call that is meant; a text where it cannot be told. */
export function calledByName({ name, input }: NamedCall): NamedCall | string {
  if (name !== CALL_BY_NAME) return { name, input }
  const { name: inner, arguments: args = {} } = isRecord(input) ? input : {}
  if (typeof inner !== 'string' || inner === '')
    return `${CALL_BY_NAME} needs the name of a tool: {"name": "…", "arguments": {…}}.`
  return inner === CALL_BY_NAME ? `${CALL_BY_NAME} cannot call itself.` : { name: inner, input: args }
}

export interface ListingOptions {
  readonly runtime: ServedRuntime
  /** Shows only what finds and calls the rest, and what is always loaded. */
  readonly isGateway: boolean
  /** What a server said of a tool, as it said it. */
  readonly rawEntry: (tool: Tool) => unknown
  readonly countTokens: (text: string) => number
}

/** The tools that a client is told of. It may call every other tool of the pool, too. */
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
  const own = [
    ...definitions.filter(({ name }) => findToolByName(runtime.pool, name)?.findsTools === true),
    CALL_BY_NAME_DEFINITION,
  ]
  const tools = own.map((each) => toMcpTool(each, options))
  let left = MAX_TOKENS - tools.reduce((sum, tool) => sum + cost(tool), 0)
  let leftForAlways = MAX_ALWAYS_TOKENS
  for (const definition of definitions) {
    if (!wantsToBeThere(definition.name, options)) continue
    const tool = toMcpTool(definition, options)
    const tokens = cost(tool)
    // One that is too large is found by search like any other.
    if (tokens > leftForAlways) continue
    left -= tokens
    leftForAlways -= tokens
    tools.push(tool)
  }
  runtime.tellOf(tools.map(({ name }) => name))
  return withNames(tools, await runtime.announcement(), left, countTokens)
}

function wantsToBeThere(name: string, { runtime, rawEntry }: ListingOptions): boolean {
  const tool = findToolByName(runtime.pool, name)
  const raw = tool && rawEntry(tool)
  return isRecord(raw) && isRecord(raw._meta) && raw._meta['anthropic/alwaysLoad'] === true
}

/** The names of the others, at the tool that calls them, as far as they fit. */
function withNames(
  tools: readonly McpTool[],
  names: string,
  left: number,
  countTokens: (text: string) => number,
): readonly McpTool[] {
  const shown = fitting(names, left, countTokens)
  if (shown === '') return tools
  return tools.map((tool) =>
    tool.name === CALL_BY_NAME_DEFINITION.name ? { ...tool, description: `${tool.description}\n\n${shown}` } : tool,
  )
}

const MORE = 'There are more: ToolSearch finds them.'

function fitting(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  if (countTokens(text) <= maxTokens) return text
  const lines = text.split('\n')
  while (lines.length > 1) {
    lines.pop()
    const shorter = [...lines, MORE].join('\n')
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
  return { name, description, inputSchema, ...(tool !== undefined && saidByServer(rawEntry(tool))) }
}

/** What a server says beside the schema goes on as it is. No output schema: a result that was cut could not keep to it. */
function saidByServer(raw: unknown): Pick<McpTool, 'title' | 'annotations' | '_meta'> {
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
  /** As a model would get it: within its budget, with what hooks had to say. */
  readonly block: ToolResultBlock
  readonly error?: ToolCallError
}

/** The pool with the whole road of a call around it, as far as serving it needs that. */
export interface ServedRuntime {
  /** All that can be called. */
  readonly pool: Tools
  /** Those of the whole pool. */
  definitions(): Promise<readonly ToolDefinition[]>
  /** Whether a tool is told of by name alone. */
  isDeferred(tool: Tool): boolean
  /** Takes note that clients know the schemas of these. */
  tellOf(names: readonly string[]): void
  /** What is told by name alone, in a text; empty where there is nothing. */
  announcement(): Promise<string>
  call(toolUse: ToolUseBlock, options: ServedCallOptions): Promise<ServedOutcome>
}
