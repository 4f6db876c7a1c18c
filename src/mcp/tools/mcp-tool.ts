import { buildTool } from '../../contract/build-tool.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { resultContent } from './result-content.js'

/** What a call of a server's tool gives: the content as the server sent it. */
export interface McpToolOutput {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
}

/** What all tools of MCP servers share. A tool of a server is this with its name, description, schema and call put over it. */
export const MCPTool = buildTool({
  name: 'mcp',
  isMcp: true,
  mcpInfo: { serverName: '', toolName: '' },
  description: 'A tool of an MCP server',

  inputJSONSchema: { type: 'object' },

  // The server is not trusted to decide: the rules do.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  interruptBehavior: () => 'cancel',
  async call(): Promise<never> {
    throw new Error('MCPTool is what tools of servers are made of, and cannot be called itself.')
  },

  renderToolResultMessage: (output: McpToolOutput) => textOf(output),
  extractSearchText: (output: McpToolOutput) => textOf(output),
  mapToolResultToToolResultBlockParam: (output: unknown, toolUseId: string): ToolResultBlock => ({
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: contentOf(output),
  }),
})

/** A hook may have put anything in its place. */
function contentOf(output: unknown): ToolResultBlock['content'] {
  if (typeof output === 'string') return output
  if (!isRecord(output) || !Array.isArray(output.content)) return JSON.stringify(output) ?? ''
  const content = resultContent(output.content, output.structuredContent)
  const [only] = content
  if (only === undefined) return '(The tool gave no content.)'
  return content.length === 1 && only.type === 'text' ? only.text : content
}

function textOf(output: McpToolOutput): string {
  const content = contentOf(output)
  if (typeof content === 'string') return content
  return content.map((each) => (each.type === 'text' ? each.text : `[${each.type}]`)).join('\n')
}
