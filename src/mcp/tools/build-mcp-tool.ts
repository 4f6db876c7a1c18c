import { ToolCallError } from '../../contract/errors.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { PermissionAsk } from '../../contract/permission/result.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool } from '../../contract/tool/tool.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { isDeeperThan } from '../../shared/json-size.js'
import { renameProperties } from './property-names.js'
import type { McpToolDefinition } from './read-definition.js'
import { toResultContent, toResultText } from './result-content.js'

interface McpCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: unknown) => void
}

export interface McpCallResult extends McpToolOutput {
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A confirmation that the user must give before the tool is called. */
export interface CallConfirmation {
  /** Returns the question for the user; undefined once the user has confirmed. */
  question(): PermissionAsk | undefined
  /** Called when the user has allowed a call. */
  accept(): Promise<void>
}

/** The cause of an error that a server returned as a result, with everything that the server sent. */
export class McpResultError extends Error {
  override readonly name = 'McpResultError'
  readonly result: McpCallResult

  constructor(result: McpCallResult) {
    super('The server returned an error result.')
    this.result = result
  }
}

export type SendCall = (args: Readonly<Record<string, unknown>>, options: McpCallOptions) => Promise<McpCallResult>

/** More deeply nested results could overflow the stack when they are serialised. */
const MAX_RESULT_DEPTH = 500
const MAX_ERROR_CHARS = 50_000

interface McpToolOptions {
  readonly serverName: string
  /** The name that the model sees. */
  readonly shownAs: string
  /** Whether a result without structured content is an error if the tool has an output schema. */
  readonly requireStructuredContent?: boolean | undefined
}

/** Builds the tool for a server's definition. The server's hints never grant a permission. */
export function buildMcpTool(
  { serverName, shownAs: shownName, requireStructuredContent = true }: McpToolOptions,
  definition: McpToolDefinition,
  send: SendCall,
  confirmation?: CallConfirmation,
): Tool {
  const { name: toolName, title = definition.name, description, inputSchema, hints, searchHint } = definition
  const { readOnly, destructive, openWorld } = hints
  const userFacingName = `${serverName}: ${title}`
  const renamedInput = renameProperties(inputSchema)
  const tool: Tool = {
    ...MCPTool,
    name: shownName,
    mcpInfo: Object.freeze({ serverName, toolName }),
    ...(searchHint !== undefined && { searchHint }),
    ...(definition.alwaysLoad && { alwaysLoad: true }),
    inputJSONSchema: renamedInput?.schema ?? inputSchema,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    isDestructive: () => destructive,
    isOpenWorld: () => openWorld,
    userFacingName: () => userFacingName,
    ...(confirmation !== undefined && {
      checkPermissions: () => confirmation.question() ?? { behavior: 'passthrough' },
    }),
    toAutoClassifierInput: (input: unknown) => ({ name: shownName, input }),
    description: () => description,
    prompt: () => description,
    async call(args, { signal }, _canUseTool, _parentMessage, onProgress) {
      if (confirmation !== undefined) await confirmation.accept()
      const result = await send(renamedInput?.restore(args) ?? args, {
        signal,
        ...(onProgress !== undefined && { onProgress }),
      })
      await checkResult({ shownName, requireStructuredContent }, definition, result)
      const { content, structuredContent, _meta } = result
      const structuredField = structuredContent === undefined ? {} : { structuredContent }
      return {
        data: { content, ...structuredField },
        mcpMeta: { ...structuredField, ...(_meta !== undefined && { _meta }) },
      }
    },
  }
  return Object.freeze(tool)
}

async function checkResult(
  { shownName, requireStructuredContent }: { readonly shownName: string; readonly requireStructuredContent: boolean },
  { outputSchema }: McpToolDefinition,
  result: McpCallResult,
): Promise<void> {
  const { content, structuredContent, isError } = result
  if (isDeeperThan({ content, structuredContent }, MAX_RESULT_DEPTH)) {
    throw new ToolCallError(
      'output_invalid',
      `The result of ${shownName} is nested more than ${MAX_RESULT_DEPTH} levels deep.`,
    )
  }
  if (isError === true) {
    const text = shortenText(toResultText(content, structuredContent), MAX_ERROR_CHARS)
    const message = text.trim() === '' ? `${shownName} failed without an error message.` : text
    throw new ToolCallError('tool_failed', message, { cause: new McpResultError(result) })
  }
  if (outputSchema === undefined) return
  if (structuredContent === undefined) {
    if (!requireStructuredContent) return
    throw new ToolCallError(
      'output_invalid',
      `${shownName} returned no structured content, although it has an output schema. The call itself may have taken effect. To accept such results, set "requireStructuredContent": false for this server.`,
    )
  }
  const { issues } = await validate(outputSchema, structuredContent)
  if (issues === undefined) return
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path = [], message }) => `- ${path.join('.') || 'output'}: ${message}`)
  const text = `The structured content of ${shownName} does not match its output schema:\n${lines.join('\n')}`
  throw new ToolCallError('output_invalid', text)
}

const MAX_ISSUES = 10

async function validate(schema: Readonly<Record<string, unknown>>, value: unknown) {
  try {
    return (await createJsonSchemaValidator(schema))(value)
  } catch (error) {
    return { issues: [{ message: `the schema cannot be used: ${String(error)}` }] }
  }
}

/** The output of a server tool: the content as the server sent it. */
export interface McpToolOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
}

/** The base of all MCP server tools, which override its name, description, schema and `call`. */
export const MCPTool = buildTool({
  name: 'mcp',
  isMcp: true,
  mcpInfo: { serverName: '', toolName: '' },
  description: 'A tool of an MCP server',

  inputJSONSchema: { type: 'object' },

  // Permission rules decide, not the server.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  interruptBehavior: () => 'cancel',
  async call(): Promise<never> {
    throw new Error('MCPTool is only the base of server tools and cannot be called.')
  },

  mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string): ToolResultBlock => ({
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: toContent(output),
  }),
})

/** Converts the output for a model. A hook may have replaced the output with any value. */
function toContent(output: unknown): ToolResultBlock['content'] {
  if (typeof output === 'string') return output
  if (!isRecord(output) || !Array.isArray(output.content)) return JSON.stringify(output) ?? ''
  const content = toResultContent(output.content, output.structuredContent)
  const [onlyBlock] = content
  if (onlyBlock === undefined) return '(The tool returned no content.)'
  return content.length === 1 && onlyBlock.type === 'text' ? onlyBlock.text : content
}
