import { resolve } from 'node:path'
import type { McpServerEntry } from '../../contract/mcp/server-entry.js'
import { quote } from '../../shared/quote.js'
import type { HttpServerConfig, McpServerConfig, OAuthServerConfig } from './server-config.js'

/** An entry that is well written and yet cannot be used here. */
class ServerEntryError extends Error {
  override readonly name = 'ServerEntryError'
}

interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Where a relative `cwd` counts from. */
  readonly base: string
}

type Common = Pick<McpServerConfig, 'timeoutMs' | 'startTimeoutMs' | 'maxConcurrency' | 'prefix' | 'disabled'>

/** Fills in the variables of an entry. Messages never hold what a variable stood for: it may be a secret. */
export function resolveEntry(entry: McpServerEntry, { variables, base }: Surroundings): McpServerConfig {
  const fill = (text: string) => expandVariables(text, variables)
  const common = commonOf(entry)
  if (entry.command === undefined) return { ...common, ...httpOf(entry, fill) }
  const command = fill(entry.command)
  if (command === '') throw new ServerEntryError(`the command ${quote(entry.command)} is empty once filled in`)
  return {
    ...common,
    type: 'stdio',
    command,
    args: (entry.args ?? []).map(fill),
    env: mapValues(entry.env ?? {}, (value) => fill(String(value))),
    ...(entry.cwd !== undefined && { cwd: resolve(base, fill(entry.cwd)) }),
  }
}

function commonOf({ timeoutMs, startTimeoutMs, maxConcurrency, prefix, disabled }: McpServerEntry): Common {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(prefix !== undefined && { prefix }),
    ...(disabled !== undefined && { disabled }),
  }
}

function httpOf(entry: McpServerEntry, fill: (text: string) => string): HttpServerConfig {
  const headers = mapValues(entry.headers ?? {}, fill)
  for (const [name, value] of Object.entries(headers)) {
    // Node refuses these with the value in its message.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new ServerEntryError(`the header ${name} holds characters that no header may have`)
  }
  return {
    type: entry.type === 'sse' ? 'sse' : 'http',
    url: checkedUrl(entry.url ?? '', fill),
    headers,
    ...(entry.headersHelper !== undefined && { headersHelper: entry.headersHelper }),
    ...(entry.oauth !== undefined && { oauth: oauthOf(entry.oauth, fill) }),
  }
}

function checkedUrl(written: string, fill: (text: string) => string): string {
  const filled = fill(written)
  const url = URL.canParse(filled) ? new URL(filled) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new ServerEntryError(`the url ${quote(written)} is no http or https address`)
  if (url.username !== '' || url.password !== '')
    throw new ServerEntryError('the url holds a user name or password; put them into headers')
  return filled
}

function oauthOf(written: NonNullable<McpServerEntry['oauth']>, fill: (text: string) => string): OAuthServerConfig {
  const { clientId, clientSecret, scope, callbackPort } = written
  return {
    ...(clientId !== undefined && { clientId: fill(clientId) }),
    ...(clientSecret !== undefined && { clientSecret: fill(clientSecret) }),
    ...(scope !== undefined && { scope: fill(scope) }),
    ...(callbackPort !== undefined && { callbackPort }),
  }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** A variable that a value needs and nobody set. */
export class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError'
  constructor(readonly variable: string) {
    super(`the variable ${variable} is not set; set it, or write \${${variable}:-default}`)
  }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Fills in `${NAME}` and `${NAME:-default}`, as a shell does: the default stands for an empty value, too. */
export function expandVariables(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (fallback !== undefined) return value || fallback
    if (value === undefined) throw new MissingVariableError(name)
    return value
  })
}
