import { type McpServerEntry, readMcpEntry } from '../../../contract/mcp/server-entry.js'
import { approveServer } from '../../../mcp/config/approvals.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { openPrivateFiles } from '../../../settings/files/private-files.js'
import { resolveLinks } from '../../../settings/files/resolve-real-path.js'
import { getMcpFolder } from '../../../settings/files/settings-files.js'
import { addServer, type ServerScope } from '../../../settings/save/server-files.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { quote } from '../../../shared/quote.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { parseScope } from './load-servers.js'

/** Adds a server to a settings file. Adding it to a project also approves it. */
export async function runAdd(io: CommandIo): Promise<number> {
  const newServer = parseServerArguments(io.args)
  const { name, scope, entry } = newServer
  const host = await io.host()
  const home = await resolveLinks(host.homeDir)
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home })
  const file = await addServer(newServer, { projectRoot, home })
  io.out(`Added ${name} to ${file}.\n`)
  if (scope === 'user') return EXIT.done
  await approveServer(openPrivateFiles(getMcpFolder(home)), projectRoot, name, entry)
  if (!(await isProjectTrusted(projectRoot, { home })))
    warn(io, `${projectRoot} is not trusted, so its servers are not started (run haft trust, or use --scope user).`)
  return EXIT.done
}

export interface NewServer {
  readonly name: string
  readonly scope: ServerScope
  readonly entry: McpServerEntry
}

const ADD_OPTIONS = {
  transport: { type: 'string', short: 't' },
  scope: { type: 'string', short: 's', default: 'local' },
  env: { type: 'string', short: 'e', multiple: true, default: [] as string[] },
  header: { type: 'string', short: 'H', multiple: true, default: [] as string[] },
  'headers-helper': { type: 'string' },
  'client-id': { type: 'string' },
  'callback-port': { type: 'string' },
} as const

type Values = ReturnType<typeof parseOptions<typeof ADD_OPTIONS>>['values']

const TRANSPORTS = ['stdio', 'http', 'sse'] as const
const HTTP_ONLY_OPTIONS = ['headers-helper', 'client-id', 'callback-port'] as const

export function parseServerArguments(args: readonly string[]): NewServer {
  const { values, positionals } = parseOptions(args, ADD_OPTIONS)
  const [name, target, ...otherArguments] = positionals
  if (name === undefined || target === undefined)
    throw new UsageError('expected a name, then a URL, or -- and a command. See haft mcp --help.')
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new UsageError(`invalid server name ${quote(name)}: use up to 64 letters, digits, - and _.`)
  const transport = transportOf(values.transport, target)
  const entry =
    transport === 'stdio'
      ? toStdioEntry(target, otherArguments, values)
      : toHttpEntry(transport, target, otherArguments, values)
  const parsedEntry = readMcpEntry(entry)
  if ('issues' in parsedEntry)
    throw new UsageError(
      parsedEntry.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
    )
  return { name, scope: parseScope(values.scope), entry: parsedEntry.entry }
}

function transportOf(name: string | undefined, target: string): (typeof TRANSPORTS)[number] {
  if (name === undefined) return /^https?:\/\//i.test(target) ? 'http' : 'stdio'
  const transport = TRANSPORTS.find((candidate) => candidate === name)
  if (transport !== undefined) return transport
  throw new UsageError(`unknown transport ${quote(name)}. Use ${TRANSPORTS.join(', ')}.`)
}

function toStdioEntry(command: string, args: readonly string[], values: Values): McpServerEntry {
  const httpOnlyOption = HTTP_ONLY_OPTIONS.find((option) => values[option] !== undefined)
  if (httpOnlyOption !== undefined || values.header.length > 0)
    throw new UsageError(`--${httpOnlyOption ?? 'header'} is only for servers with a URL; use --env for a command.`)
  const env = Object.fromEntries(values.env.map((text) => parsePair(text, '=', '--env NAME=VALUE')))
  return { command, ...(args.length > 0 && { args: [...args] }), ...(values.env.length > 0 && { env }) }
}

function toHttpEntry(
  type: 'http' | 'sse',
  url: string,
  otherArguments: readonly string[],
  values: Values,
): McpServerEntry {
  if (otherArguments.length > 0) throw new UsageError(`unexpected argument ${quote(otherArguments[0])} after the URL.`)
  if (values.env.length > 0) throw new UsageError('--env is only for commands; use --header for a server with a URL.')
  const headers = Object.fromEntries(values.header.map((text) => parsePair(text, ':', '--header "NAME: VALUE"')))
  const clientId = values['client-id']
  const port = values['callback-port']
  const oauth = {
    ...(clientId !== undefined && { clientId }),
    ...(port !== undefined && { callbackPort: Number(port) }),
  }
  const headersHelper = values['headers-helper']
  return {
    type,
    url,
    ...(values.header.length > 0 && { headers }),
    ...(headersHelper !== undefined && { headersHelper }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  }
}

function parsePair(text: string, separator: string, form: string): readonly [string, string] {
  const separatorAt = text.indexOf(separator)
  // The value may be a secret, so it is not printed.
  if (separatorAt < 1) throw new UsageError(`${form.slice(0, form.indexOf(' '))} has an invalid value; write ${form}.`)
  const value = text.slice(separatorAt + 1)
  return [text.slice(0, separatorAt).trim(), separator === ':' ? value.trim() : value]
}
