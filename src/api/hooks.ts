export type { HookFunction } from '../hooks/config/hook-config.js'
export type { HookPayload } from '../hooks/config/hook-payload.js'
export type { HookPorts, McpToolAnswer, McpToolRequest } from '../hooks/run/hook-call.js'
export type { HookGroup, HookSettings } from '../runtime/hooks/hook-settings.js'
