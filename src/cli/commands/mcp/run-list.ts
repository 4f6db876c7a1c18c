import { printable } from '../../../shared/printable.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { cutText, padText, textWidth } from '../../terminal-text.js'
import { UsageError } from '../../usage-error.js'
import { type ListedServer, loadServers } from './load-servers.js'
import { shownServer, targetText } from './shown-server.js'

const WIDTH_WITHOUT_TERMINAL = 160

/** Lists the servers of every source, also those that are not started. */
export async function runList(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 0) throw new UsageError('list takes no names; haft mcp get NAME shows one.')
  const { servers } = await loadServers(io, await io.host())
  io.out(values.json ? `${JSON.stringify(servers.map(shownServer), null, 2)}\n` : table(servers, io.columns))
  return EXIT.done
}

function table(servers: readonly ListedServer[], columns = WIDTH_WITHOUT_TERMINAL): string {
  if (servers.length === 0) return 'No MCP server is configured. haft mcp add NAME -- COMMAND adds one.\n'
  const rows = servers.map((each) => {
    const target = each.server === undefined ? (each.reason ?? '') : targetText(each.server.written)
    return [each.name, each.source, each.state, target].map(printable)
  })
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => textWidth(row[at] ?? ''))))
  const line = (row: readonly string[]) => row.map((cell, at) => padText(cell, widths[at] ?? 0)).join('  ')
  return rows.map((row) => `${cutText(line(row).trimEnd(), columns)}\n`).join('')
}
