import { randomUUID } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolUseBlock } from '../../contract/messages.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { ToolRuntime } from '../../contract/runtime.js'
import type { JsonSchema } from '../../contract/schema.js'
import { inputJSONSchemaOf } from '../../contract/tool/input-json-schema.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

/** The runtime that runs the calls of a tool. */
export interface ToolHost extends Pick<ToolRuntime, 'run'> {
  readonly pool: Tools
  readonly permissions: ToolPermissionContext
}

/** The arguments of `registerTool` of the SDK's `McpServer`. */
export type McpToolRegistration = [
  name: string,
  config: { readonly description: string; readonly inputSchema: McpInputSchema },
  call: (input: unknown, context: McpCallContext) => Promise<CallToolResult>,
]

interface McpCallContext {
  readonly mcpReq: { readonly id: string | number; readonly signal: AbortSignal }
}

/** A Standard Schema that accepts everything, because the runtime validates and repairs inputs itself. */
interface McpInputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: { readonly input: () => JsonSchema; readonly output: () => JsonSchema }
  }
}

/** Converts a tool for your own MCP server: `server.registerTool(...(await toMcpTool(tool, runtime)))`. */
export async function toMcpTool(tool: Tool, host: ToolHost): Promise<McpToolRegistration> {
  const { name } = tool
  const { pool: tools, permissions: toolPermissionContext } = host
  const description = await tool.prompt({ tools, toolPermissionContext, agentDefinitions: [] })
  const call = async (input: unknown, { mcpReq: { signal } }: McpCallContext): Promise<CallToolResult> => {
    const toolUse: ToolUseBlock = { type: 'tool_use', id: `mcp_${randomUUID()}`, name, input }
    const [block] = await host.run([toolUse], { signal }).results
    if (block === undefined) throw new Error(`${name} returned no result`)
    const { toCallResult } = await import('./call-result.js')
    return toCallResult(block, undefined)
  }
  return [name, { description, inputSchema: createPassThroughSchema(inputJSONSchemaOf(tool)) }, call]
}

function createPassThroughSchema(schema: JsonSchema): McpInputSchema {
  const getSchema = () => schema
  const validate = (value: unknown) => ({ value })
  return { '~standard': { version: 1, vendor: 'haft', validate, jsonSchema: { input: getSchema, output: getSchema } } }
}
