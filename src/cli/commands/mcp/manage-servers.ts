import { CredentialFile } from '../../../mcp/auth/credentials.js'
import { approveServer, forgetApproval } from '../../../mcp/config/approvals.js'
import { createPins } from '../../../mcp/config/pins.js'
import { removeServer, scopesWith } from '../../../settings/save/server-files.js'
import { printable } from '../../../shared/printable.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { cutText, padText, textWidth } from '../../io/terminal-text.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { findServer, type ListedServer, type LoadedServers, loadServers, scopeOf } from './load-servers.js'
import { approvedText, entryDetails, maskedValue, shownServer, stateText, targetText } from './shown-server.js'

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

/** Lets a server of this project start, as it is written now. */
export async function runApprove(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  if (positionals.length > 1) throw new UsageError('say one server: haft mcp approve NAME.')
  const loaded = await loadServers(io, await io.host())
  const [name] = positionals
  const candidates = loaded.servers.filter(({ state }) => state === 'untrusted' || state === 'unapproved')
  const found = candidates.find((each) => each.name === name) ?? findServer(loaded, name)
  if (found.server === undefined) throw new UsageError(`${found.name} cannot be started: ${found.reason}.`)
  const { written, project } = found.server
  if (project === undefined) {
    io.out(`${found.name} needs no approval: you configured it yourself.\n`)
    return EXIT.done
  }
  await approveServer(loaded.files, project, found.name, written)
  io.out(`Approved ${found.name}: ${approvedText(written)}\n`)
  if (found.state === 'untrusted')
    warn(io, `${project} is not trusted, so that its servers are not started (--trust trusts it for one run).`)
  return EXIT.done
}

/** Takes a server out of a settings file, with what was kept about it. */
export async function runRemove(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { scope: { type: 'string', short: 's' } })
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) throw new UsageError('say one server: haft mcp remove NAME.')
  const loaded = await loadServers(io, await io.host())
  const scopes = await scopesWith(name, loaded.places)
  const [scope, another] = values.scope === undefined ? scopes : [scopeOf(values.scope)]
  if (scope === undefined)
    throw new UsageError(`there is no MCP server ${quote(name)} in your files. See haft mcp list.`)
  if (another !== undefined)
    throw new UsageError(`${name} is configured in the scopes ${scopes.join(' and ')}; say which with --scope.`)
  const files = await removeServer({ scope, name }, loaded.places)
  if (files.length === 0) throw new UsageError(`there is no MCP server ${quote(name)} in the scope ${scope}.`)
  await forget(name, scope, loaded)
  io.out(`Removed ${name} from ${files.join(' and ')}.\n`)
  return EXIT.done
}

async function forget(name: string, scope: string, { files, places, servers }: LoadedServers): Promise<void> {
  const server = servers.find((each) => each.name === name && each.source === scope)?.server
  if (scope !== 'user') await forgetApproval(files, places.projectRoot, name)
  if (server === undefined) return
  await createPins(files).forget(server)
  const { config } = server
  if (config.type === 'stdio') return
  // Another server of the same address goes on with the same tokens.
  const isShared = servers.some((each) => each.server !== server && urlOf(each) === config.url)
  if (!isShared) await new CredentialFile(files, config.url).change(() => undefined)
}

function urlOf({ server }: LoadedServers['servers'][number]): string | undefined {
  return server?.config.type === 'stdio' ? undefined : server?.config.url
}
