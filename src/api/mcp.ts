export { normaliseMcpName, toMcpToolName } from '../contract/mcp/name.js'
export type { McpClientState } from '../contract/tool/context.js'
export type { McpInfo } from '../contract/tool/identity.js'
export type { HttpAccess } from '../mcp/client/open-transport.js'
export type { SamplingAnswer, SamplingRequest, ServerLogEntry, ServerRequests } from '../mcp/client/server-requests.js'
export type {
  ConfiguredServer,
  HttpServerConfig,
  McpServerConfig,
  McpServerOption,
  StdioServerConfig,
} from '../mcp/config/server-config.js'
export type { McpServers } from '../mcp/manager/create-mcp-servers.js'
export type { RequiredConfirmation, ReviewDefinitions } from '../mcp/manager/definition-review.js'
export type { CallOptions, ManagedServer, ServerState } from '../mcp/manager/managed-server.js'
export type { McpPrompt } from '../mcp/manager/server-offer.js'
export { type McpToolRegistration, type ToolHost, toMcpTool } from '../mcp/serve/to-mcp-tool.js'
export { MCPTool, type McpToolOutput } from '../mcp/tools/build-mcp-tool.js'
export {
  type McpToolDefinition,
  type ParsedDefinitions as ReadDefinitions,
  type RefusedDefinition,
  readDefinitions,
} from '../mcp/tools/read-definition.js'
export { nameTools, type ServerTools } from '../mcp/tools/tool-names.js'
export { type ConnectOptions, connectMcpServers } from '../runtime/mcp/connect-mcp-servers.js'
export type { McpSetup } from '../runtime/mcp/mcp-setup.js'
