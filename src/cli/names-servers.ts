import type { LoadedSettings } from '../settings/load-settings.js'

/** Whether settings name any MCP server at all. */
export function namesServers({ mcpServers }: Pick<LoadedSettings, 'mcpServers'>): boolean {
  return mcpServers.some(({ servers }) => Object.keys(servers).length > 0)
}
