import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { isMcpTool } from '../../../contract/tool/identity.js'
import type { ListedTool } from './current-pool.js'

/** One tool of `haft tools --json`. */
export interface ToolRow {
  readonly name: string
  readonly aliases: readonly string[]
  readonly deferred: boolean
  /** Whether calls are read-only and may run concurrently. Null if that depends on the input. */
  readonly readOnly: boolean | null
  readonly concurrencySafe: boolean | null
  readonly source: 'built-in' | 'mcp'
  readonly server?: string
  readonly searchHint?: string
}

export function toToolRow(tool: ListedTool): ToolRow {
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

/** Returns one text each for loading, effects and concurrency. A trait that is null depends on the input. */
export function listTraits(row: ToolRow): readonly string[] {
  return [
    row.deferred ? 'deferred' : 'always loaded',
    row.readOnly === null ? 'read-only for some inputs' : row.readOnly ? 'read-only' : 'may modify',
    row.concurrencySafe === null ? 'concurrent for some inputs' : row.concurrencySafe ? 'concurrent' : 'one at a time',
  ]
}

const WIDTH_WITHOUT_TERMINAL = 100

/** Returns a table of tools. No line is wider than the terminal. */
export function formatToolTable(rows: readonly ToolRow[], columns = WIDTH_WITHOUT_TERMINAL): string {
  if (rows.length === 0) return 'No tools available.\n'
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map((row) => {
    const name = row.name.padEnd(nameWidth)
    const hint = row.searchHint === undefined ? [] : [row.searchHint]
    return cut([name, [...hint, listTraits(row).join(', ')].join(' · ')].join('  '), columns)
  })
  const deferredCount = rows.filter((row) => row.deferred).length
  const tools = rows.length === 1 ? '1 tool' : `${rows.length} tools`
  return `${lines.join('\n')}\n\n${cut(`${tools}, ${deferredCount} deferred. Details: haft tools show NAME.`, columns)}\n`
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`
}
