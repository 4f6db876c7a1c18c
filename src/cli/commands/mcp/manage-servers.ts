import { CredentialFile } from '../../../mcp/auth/credentials.js'
import { approveServer, forgetApproval } from '../../../mcp/config/approvals.js'
import { createPins } from '../../../mcp/config/pins.js'
import { findScopesWith, removeServer } from '../../../settings/save/server-files.js'
import { toPrintable } from '../../../shared/printable.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { measureWidth, padText, truncateText } from '../../io/terminal-text.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { formatEntry, formatState, formatTarget, listEntryDetails, maskValue, toServerView } from './format-server.js'
import { findServer, type ListedServer, type LoadedServers, loadServers, parseScope } from './load-servers.js'

const WIDTH_WITHOUT_TERMINAL = 160

/** Lists the servers of all sources, including those that are not started. */
export async function runList(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 0) throw new UsageError('list takes no arguments; use haft mcp get NAME for one server.')
  const { servers } = await loadServers(io, await io.host())
  io.out(values.json ? `${JSON.stringify(servers.map(toServerView), null, 2)}\n` : formatTable(servers, io.columns))
  return EXIT.done
}

function formatTable(servers: readonly ListedServer[], columns = WIDTH_WITHOUT_TERMINAL): string {
  if (servers.length === 0) return 'No MCP servers configured. Add one with haft mcp add NAME -- COMMAND.\n'
  const rows = servers.map((listedServer) => {
    const target =
      listedServer.server === undefined ? (listedServer.reason ?? '') : formatTarget(listedServer.server.entry)
    return [listedServer.name, listedServer.source, listedServer.state, target].map(toPrintable)
  })
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => measureWidth(row[column] ?? ''))))
  const formatRow = (row: readonly string[]) => row.map((cell, column) => padText(cell, widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${truncateText(formatRow(row).trimEnd(), columns)}\n`).join('')
}

/** Shows the configuration of one server, with secrets masked. */
export async function runGet(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { json: { type: 'boolean', default: false } })
  if (positionals.length > 1) throw new UsageError('expected one server: haft mcp get NAME.')
  const foundServer = findServer(await loadServers(io, await io.host()), positionals[0])
  io.out(values.json ? `${JSON.stringify(toServerView(foundServer), null, 2)}\n` : formatServer(foundServer))
  return EXIT.done
}

function formatServer(foundServer: ListedServer): string {
  const lines = [
    `${foundServer.name}: ${formatState(foundServer)}`,
    ...detailsOf(foundServer).map(([key, value]) => `  ${key.padEnd(8)}${value}`),
  ]
  return lines.map((line) => `${toPrintable(line)}\n`).join('')
}

function detailsOf({ source, file, server }: ListedServer): readonly (readonly [string, string])[] {
  const originRow = ['from', file === undefined ? source : `${source} (${file})`] as const
  if (server === undefined) return [originRow]
  const { entry, config } = server
  return [
    originRow,
    [entry.command === undefined ? 'url' : 'command', `${formatTarget(entry)} (${config.type})`],
    ...listEntryDetails(entry, maskValue),
  ]
}

/** Approves a server of this project in its current configuration. */
export async function runApprove(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  if (positionals.length > 1) throw new UsageError('expected one server: haft mcp approve NAME.')
  const loadedServers = await loadServers(io, await io.host())
  const [name] = positionals
  const candidates = loadedServers.servers.filter(({ state }) => state === 'untrusted' || state === 'unapproved')
  const foundServer = candidates.find((listedServer) => listedServer.name === name) ?? findServer(loadedServers, name)
  if (foundServer.server === undefined)
    throw new UsageError(`cannot approve ${foundServer.name}: ${foundServer.reason}.`)
  const { entry, project } = foundServer.server
  if (project === undefined) {
    io.out(`${foundServer.name} needs no approval: it is in your own settings.\n`)
    return EXIT.done
  }
  await approveServer(loadedServers.files, project, foundServer.name, entry)
  io.out(`Approved ${foundServer.name}: ${formatEntry(entry)}\n`)
  if (foundServer.state === 'untrusted')
    warn(io, `${project} is not trusted, so its servers are not started (run haft trust).`)
  return EXIT.done
}

/** Removes a server from a settings file, with its approval, pins and credentials. */
export async function runRemove(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { scope: { type: 'string', short: 's' } })
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) throw new UsageError('expected one server: haft mcp remove NAME.')
  const loadedServers = await loadServers(io, await io.host())
  const scopes = await findScopesWith(name, loadedServers.roots)
  const [scope, secondScope] = values.scope === undefined ? scopes : [parseScope(values.scope)]
  if (scope === undefined)
    throw new UsageError(`no MCP server ${quote(name)} in the settings files. See haft mcp list.`)
  if (secondScope !== undefined)
    throw new UsageError(`${name} is in the scopes ${scopes.join(' and ')}; choose one with --scope.`)
  const files = await removeServer({ scope, name }, loadedServers.roots)
  if (files.length === 0) throw new UsageError(`no MCP server ${quote(name)} in the scope ${scope}. See haft mcp list.`)
  await removeRecords(name, scope, loadedServers)
  io.out(`Removed ${name} from ${files.join(' and ')}.\n`)
  return EXIT.done
}

async function removeRecords(name: string, scope: string, { files, roots, servers }: LoadedServers): Promise<void> {
  const server = servers.find((listedServer) => listedServer.name === name && listedServer.source === scope)?.server
  if (scope !== 'user') await forgetApproval(files, roots.projectRoot, name)
  if (server === undefined) return
  await createPins(files).forget(server)
  const { config } = server
  if (!('url' in config)) return
  // Another server with the same URL still needs the tokens.
  const isShared = servers.some((listedServer) => listedServer.server !== server && urlOf(listedServer) === config.url)
  if (!isShared) await new CredentialFile(files, config.url).change(() => undefined)
}

function urlOf({ server }: LoadedServers['servers'][number]): string | undefined {
  const config = server?.config
  return config !== undefined && 'url' in config ? config.url : undefined
}
