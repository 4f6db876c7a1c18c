import { ToolCallError } from '../../contract/errors.js'
import type { Tool } from '../../contract/tool.js'
import { isDeeperThan } from '../../shared/is-deeper-than.js'
import { jsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { MCPTool, type McpToolOutput } from './mcp-tool.js'
import { cutText, plainLine } from './plain-line.js'
import type { McpToolDefinition } from './read-definition.js'
import { resultText } from './result-content.js'

interface McpCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: unknown) => void
}

export interface McpCallResult extends McpToolOutput {
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Sends a call to the server. */
export type SendCall = (args: Readonly<Record<string, unknown>>, options: McpCallOptions) => Promise<McpCallResult>

/** Deeper results overflow the stack of whoever turns them into text. */
const MAX_RESULT_DEPTH = 500
const MAX_ERROR_CHARS = 50_000
const MAX_SHOWN_CHARS = 200

/** A tool of a server: the stub with what the server says of it. What it says of itself speeds up, and permits nothing. */
export function buildMcpTool(
  { serverName, shownAs }: { readonly serverName: string; readonly shownAs: string },
  definition: McpToolDefinition,
  send: SendCall,
): Tool {
  const { name: toolName, title = definition.name, description, inputSchema, hints, searchHint } = definition
  const { readOnly, destructive, openWorld } = hints
  const facingName = `${serverName}: ${title} (MCP)`
  const tool: Tool = {
    ...MCPTool,
    name: shownAs,
    mcpInfo: Object.freeze({ serverName, toolName }),
    ...(searchHint !== undefined && { searchHint }),
    ...(definition.alwaysLoad && { alwaysLoad: true }),
    inputJSONSchema: inputSchema,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    isDestructive: () => destructive,
    isOpenWorld: () => openWorld,
    userFacingName: () => facingName,
    renderToolUseMessage: (input: unknown) =>
      `${facingName} ${plainLine(JSON.stringify(input) ?? '', MAX_SHOWN_CHARS)}`,
    toAutoClassifierInput: (input: unknown) => ({ name: shownAs, input }),
    description: () => description,
    prompt: () => description,
    async call(args, { signal }, _canUseTool, _parentMessage, onProgress) {
      const result = await send(args, { signal, ...(onProgress !== undefined && { onProgress }) })
      await checkResult(shownAs, definition, result)
      const { content, structuredContent, _meta } = result
      const structured = structuredContent === undefined ? {} : { structuredContent }
      return { data: { content, ...structured }, mcpMeta: { ...structured, ...(_meta !== undefined && { _meta }) } }
    },
  }
  return Object.freeze(tool)
}

async function checkResult(
  shownAs: string,
  { outputSchema }: McpToolDefinition,
  { content, structuredContent, isError }: McpCallResult,
): Promise<void> {
  if (isDeeperThan({ content, structuredContent }, MAX_RESULT_DEPTH)) {
    throw new ToolCallError('output_invalid', `The result of ${shownAs} is nested too deep to be read.`)
  }
  if (isError === true) {
    const said = cutText(resultText(content, structuredContent), MAX_ERROR_CHARS)
    throw new ToolCallError('tool_failed', said.trim() === '' ? `${shownAs} failed without saying why.` : said)
  }
  if (outputSchema === undefined || structuredContent === undefined) return
  const { issues } = await validate(outputSchema, structuredContent)
  if (issues === undefined) return
  const lines = issues
    .slice(0, MOST_ISSUES)
    .map(({ path = [], message }) => `- ${path.join('.') || 'output'}: ${message}`)
  const text = `The structured content of ${shownAs} does not fit the output schema of its server:\n${lines.join('\n')}`
  throw new ToolCallError('output_invalid', text)
}

const MOST_ISSUES = 10

async function validate(schema: Readonly<Record<string, unknown>>, value: unknown) {
  try {
    return (await jsonSchemaValidator(schema))(value)
  } catch (error) {
    return { issues: [{ message: `the schema cannot be used: ${String(error)}` }] }
  }
}
