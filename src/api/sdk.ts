export {
  type CreateSdkMcpServerOptions,
  createSdkMcpServer,
  type McpMessage,
  type McpSdkServerConfig,
  type McpServerInstance,
  type McpTransport,
  type SdkMcpToolDefinition,
  type ToolResult,
  type ToolShape,
  tool,
} from '../sdk/mcp-server.js'
export type {
  AgentDefinition,
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  McpServerConfig,
  OnElicitation,
  Options,
  PermissionResult,
  PermissionUpdate,
} from '../sdk/options.js'
export { type Query, type QueryParameters, query, type SDKMessage, type SDKUserMessage } from '../sdk/query.js'
export {
  InMemorySessionStore,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from '../sdk/session-store.js'
export {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  renameSession,
  type SDKSessionInfo,
  type SessionFolderOptions,
  type SessionMessage,
  tagSession,
} from '../sdk/sessions.js'
