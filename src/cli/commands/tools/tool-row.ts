import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { isMcpTool } from '../../../contract/tool/identity.js'
import type { ListedTool } from './listed-tools.js'

/** One tool as `haft tools --json` gives it. */
export interface ToolRow {
  readonly name: string
  readonly aliases: readonly string[]
  readonly deferred: boolean
  /** Null where it depends on the input. */
  readonly readOnly: boolean | null
  readonly concurrencySafe: boolean | null
  readonly source: 'built-in' | 'mcp'
  readonly server?: string
  readonly searchHint?: string
}

export function toolRow(tool: ListedTool): ToolRow {
  return {
    name: tool.name,
    aliases: tool.aliases ?? [],
    deferred: isDeferredTool(tool),
    readOnly: tool.readOnly,
    concurrencySafe: tool.concurrencySafe,
    source: isMcpTool(tool) ? 'mcp' : 'built-in',
    ...(tool.mcpInfo && { server: tool.mcpInfo.serverName }),
    ...(tool.searchHint && { searchHint: tool.searchHint }),
  }
}

/** The traits of a tool in words. */
export function traitWords(row: ToolRow): readonly string[] {
  return [
    row.deferred ? 'deferred' : 'always loaded',
    row.readOnly === null ? 'read-only by input' : row.readOnly ? 'read-only' : 'may change things',
    row.concurrencySafe === null ? 'concurrent by input' : row.concurrencySafe ? 'concurrent' : 'one at a time',
  ]
}
