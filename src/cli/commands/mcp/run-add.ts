import { type McpServerEntry, readMcpEntry } from '../../../contract/mcp/server-entry.js'
import { approveServer } from '../../../mcp/config/approvals.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { privateFiles } from '../../../settings/files/private-files.js'
import { realPath } from '../../../settings/files/real-path.js'
import { mcpFolder } from '../../../settings/files/settings-files.js'
import { addServer, type ServerScope } from '../../../settings/save/server-files.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { scopeOf } from './load-servers.js'

/** Adds a server to a settings file. Adding it to a project also approves it. */
export async function runAdd(io: CommandIo): Promise<number> {
  const added = serverArguments(io.args)
  const { name, scope, entry } = added
  const host = await io.host()
  const home = await realPath(host.homeDir)
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home })
  const file = await addServer(added, { projectRoot, home })
  io.out(`Added ${name} to ${file}.\n`)
  if (scope === 'user') return EXIT.done
  await approveServer(privateFiles(mcpFolder(home)), projectRoot, name, entry)
  if (!(await isProjectTrusted(projectRoot, { home })))
    warn(
      io,
      `${projectRoot} is not trusted, so its servers are not started (use --trust for one run, or --scope user).`,
    )
  return EXIT.done
}

export interface NewServer {
  readonly name: string
  readonly scope: ServerScope
  readonly entry: McpServerEntry
}

const OPTIONS = {
  transport: { type: 'string', short: 't' },
  scope: { type: 'string', short: 's', default: 'local' },
  env: { type: 'string', short: 'e', multiple: true, default: [] as string[] },
  header: { type: 'string', short: 'H', multiple: true, default: [] as string[] },
  'headers-helper': { type: 'string' },
  'client-id': { type: 'string' },
  'callback-port': { type: 'string' },
} as const

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>['values']

const TRANSPORTS = ['stdio', 'http', 'sse'] as const
const HTTP_ONLY = ['headers-helper', 'client-id', 'callback-port'] as const

/** Parses the arguments of `haft mcp add`. */
export function serverArguments(args: readonly string[]): NewServer {
  const { values, positionals } = parseOptions(args, OPTIONS)
  const [name, target, ...rest] = positionals
  if (name === undefined || target === undefined)
    throw new UsageError('give a name, then a URL, or -- and a command. See haft mcp --help.')
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new UsageError(`invalid server name ${quote(name)}: use up to 64 letters, digits, - and _.`)
  const transport = transportOf(values.transport, target)
  const entry = transport === 'stdio' ? stdioEntry(target, rest, values) : httpEntry(transport, target, rest, values)
  const read = readMcpEntry(entry)
  if ('issues' in read)
    throw new UsageError(read.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '))
  return { name, scope: scopeOf(values.scope), entry: read.entry }
}

function transportOf(written: string | undefined, target: string): (typeof TRANSPORTS)[number] {
  if (written === undefined) return /^https?:\/\//i.test(target) ? 'http' : 'stdio'
  const transport = TRANSPORTS.find((known) => known === written)
  if (transport !== undefined) return transport
  throw new UsageError(`unknown transport ${quote(written)}. Use ${TRANSPORTS.join(', ')}.`)
}

function stdioEntry(command: string, args: readonly string[], values: Values): McpServerEntry {
  const httpOnlyOption = HTTP_ONLY.find((option) => values[option] !== undefined)
  if (httpOnlyOption !== undefined || values.header.length > 0)
    throw new UsageError(`--${httpOnlyOption ?? 'header'} is only for servers with a URL; use --env for a command.`)
  const env = Object.fromEntries(values.env.map((each) => parsePair(each, '=', '--env NAME=VALUE')))
  return { command, ...(args.length > 0 && { args: [...args] }), ...(values.env.length > 0 && { env }) }
}

function httpEntry(type: 'http' | 'sse', url: string, rest: readonly string[], values: Values): McpServerEntry {
  if (rest.length > 0) throw new UsageError(`unexpected argument ${quote(rest[0])} after the URL.`)
  if (values.env.length > 0) throw new UsageError('--env is only for commands; use --header for a server with a URL.')
  const headers = Object.fromEntries(values.header.map((each) => parsePair(each, ':', '--header "NAME: VALUE"')))
  const clientId = values['client-id']
  const port = values['callback-port']
  const oauth = {
    ...(clientId !== undefined && { clientId }),
    ...(port !== undefined && { callbackPort: Number(port) }),
  }
  const helper = values['headers-helper']
  return {
    type,
    url,
    ...(values.header.length > 0 && { headers }),
    ...(helper !== undefined && { headersHelper: helper }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  }
}

function parsePair(written: string, separator: string, form: string): readonly [string, string] {
  const at = written.indexOf(separator)
  // The value may be a secret, so it is not printed.
  if (at < 1) throw new UsageError(`invalid format; write ${form}.`)
  const value = written.slice(at + 1)
  return [written.slice(0, at).trim(), separator === ':' ? value.trim() : value]
}
