import type { SettingsValues } from './settings-options.js'

/** Options of commands that list the tools of MCP servers. */
export const SERVED_OPTIONS = {
  connect: { type: 'boolean', default: false },
  trust: { type: 'boolean', default: false },
  'mcp-config': { type: 'string', multiple: true },
} as const

export interface ServedValues extends Pick<SettingsValues, 'trust' | 'mcp-config'> {
  readonly connect: boolean
}
