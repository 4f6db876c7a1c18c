import { printable } from '../../../shared/printable.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { UsageError } from '../../usage-error.js'
import { findServer, type ListedServer, loadServers } from './load-servers.js'
import { entryDetails, maskedValue, shownServer, stateText, targetText } from './shown-server.js'

/** Shows one server as it is written. */
export async function runGet(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 1) throw new UsageError('say one server: haft mcp get NAME.')
  const found = findServer(await loadServers(io, await io.host()), positionals[0])
  io.out(values.json ? `${JSON.stringify(shownServer(found), null, 2)}\n` : text(found))
  return EXIT.done
}

function text(found: ListedServer): string {
  const lines = [
    `${found.name}: ${stateText(found)}`,
    ...details(found).map(([key, value]) => `  ${key.padEnd(8)}${value}`),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function details({ source, file, server }: ListedServer): readonly (readonly [string, string])[] {
  const place = ['from', file === undefined ? source : `${source} (${file})`] as const
  if (server === undefined) return [place]
  const { written, config } = server
  return [
    place,
    [written.command === undefined ? 'reaches' : 'starts', `${targetText(written)} (${config.type})`],
    ...entryDetails(written, maskedValue),
  ]
}
