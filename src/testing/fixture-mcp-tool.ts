import { normaliseMcpName, toMcpToolName } from '../contract/mcp/name.js'
import type { JsonSchema } from '../contract/schema.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'

const SCHEMA: JsonSchema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }

/** A tool as an MCP server provides it. `shownAs` is its name when the server prefix is switched off. */
export function createFixtureMcpTool(
  serverName: string,
  toolName: string,
  { shownAs, schema = SCHEMA, isEnabled }: { shownAs?: string; schema?: JsonSchema; isEnabled?: () => boolean } = {},
): Tool {
  return buildTool({
    name: shownAs ?? toMcpToolName(normaliseMcpName(serverName), normaliseMcpName(toolName)),
    isMcp: true,
    mcpInfo: { serverName, toolName },
    description: `${toolName} of ${serverName}`,
    inputJSONSchema: schema,
    ...(isEnabled && { isEnabled }),
    checkPermissions: () => ({ behavior: 'passthrough' }),
    async call(args) {
      return { data: args }
    },
  })
}
