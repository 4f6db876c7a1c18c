import { UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS, type SettingsValues } from '../../options/settings-options.js'

export interface ServeOptions {
  readonly values: SettingsValues
  readonly isGateway: boolean
  readonly keepsNames: boolean
  /** Where to listen for HTTP; undefined to serve over standard input and output. */
  readonly http?: HttpEndpoint
}

export interface HttpEndpoint {
  readonly port: number
  readonly host: string
  /** Additional host names that clients may use. */
  readonly allowedHosts: readonly string[]
  readonly needsToken: boolean
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])
const HTTP_ONLY_OPTIONS = ['host', 'allow-host', 'no-token'] as const

export function parseServeOptions(args: readonly string[]): ServeOptions {
  const { values, positionals } = parseOptions(args, {
    ...SETTINGS_OPTIONS,
    gateway: { type: 'boolean', default: false },
    'no-prefix': { type: 'boolean', default: false },
    http: { type: 'string' },
    host: { type: 'string' },
    'allow-host': { type: 'string', multiple: true },
    'no-token': { type: 'boolean' },
  })
  if (positionals.length > 0) throw new UsageError('serve takes only options. See haft mcp --help.')
  const { http, host = '127.0.0.1', 'allow-host': allowedHosts = [], 'no-token': noToken = false } = values
  const isGateway = values.gateway
  const keepsNames = values['no-prefix']
  if (http === undefined) {
    const httpOnlyOption = HTTP_ONLY_OPTIONS.find((option) => values[option] !== undefined)
    if (httpOnlyOption !== undefined) throw new UsageError(`--${httpOnlyOption} needs --http PORT.`)
    return { values, isGateway, keepsNames }
  }
  if (noToken && !LOOPBACK_HOSTS.has(host))
    throw new UsageError(
      `--no-token is only allowed on a loopback address, because anyone who can connect to ${host} could call tools.`,
    )
  return { values, isGateway, keepsNames, http: { port: parsePort(http), host, allowedHosts, needsToken: !noToken } }
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(
    `invalid port ${JSON.stringify(text)}; --http takes a port from 0 to 65535, and 0 means any free port.`,
  )
}
