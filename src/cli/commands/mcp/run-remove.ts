import { CredentialFile } from '../../../mcp/auth/credentials.js'
import { forgetApproval } from '../../../mcp/config/approvals.js'
import { createPins } from '../../../mcp/config/pins.js'
import { removeServer, scopesWith } from '../../../settings/save/server-files.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { UsageError } from '../../usage-error.js'
import { type LoadedServers, loadServers } from './load-servers.js'
import { scopeOf } from './server-arguments.js'

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
