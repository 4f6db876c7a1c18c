import { resolve } from 'node:path'
import type { McpServerEntry } from '../../contract/mcp/server-entry.js'
import { quote } from '../../shared/quote.js'
import type { HttpServerConfig, McpServerConfig, OAuthServerConfig } from './server-config.js'

/** Thrown if an entry is valid but cannot be used in this environment. */
class ServerEntryError extends Error {
  override readonly name = 'ServerEntryError'
}

interface ResolveOptions {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The folder that a relative `cwd` is resolved against. */
  readonly base: string
}

type CommonConfig = Pick<
  McpServerConfig,
  | 'timeoutMs'
  | 'startTimeoutMs'
  | 'maxConcurrency'
  | 'prefix'
  | 'disabled'
  | 'protocolVersion'
  | 'requireStructuredContent'
>

/** Expands the variables of an entry. Error messages never contain the value of a variable, which may be a secret. */
export function resolveEntry(entry: McpServerEntry, { variables, base }: ResolveOptions): McpServerConfig {
  const expand = (text: string) => expandVariables(text, variables)
  const commonConfig = resolveCommonConfig(entry)
  if (entry.command === undefined) return { ...commonConfig, ...resolveHttpConfig(entry, expand) }
  const command = expand(entry.command)
  if (command === '')
    throw new ServerEntryError(`the command ${quote(entry.command)} is empty after its variables are expanded`)
  return {
    ...commonConfig,
    type: 'stdio',
    command,
    args: (entry.args ?? []).map(expand),
    env: mapValues(entry.env ?? {}, (value) => expand(String(value))),
    ...(entry.cwd !== undefined && { cwd: resolve(base, expand(entry.cwd)) }),
  }
}

function resolveCommonConfig({
  timeoutMs,
  startTimeoutMs,
  maxConcurrency,
  prefix,
  disabled,
  protocolVersion,
  requireStructuredContent,
}: McpServerEntry): CommonConfig {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(prefix !== undefined && { prefix }),
    ...(disabled !== undefined && { disabled }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(requireStructuredContent !== undefined && { requireStructuredContent }),
  }
}

function resolveHttpConfig(entry: McpServerEntry, expand: (text: string) => string): HttpServerConfig {
  const headers = mapValues(entry.headers ?? {}, expand)
  for (const [name, value] of Object.entries(headers)) {
    // Checked here, because Node's error message would contain the value.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new ServerEntryError(`the header ${name} contains characters that are not allowed in headers`)
  }
  return {
    type: entry.type === 'sse' ? 'sse' : 'http',
    url: expandUrl(entry.url ?? '', expand),
    headers,
    ...(entry.headersHelper !== undefined && { headersHelper: entry.headersHelper }),
    ...(entry.oauth !== undefined && { oauth: resolveOAuth(entry.oauth, expand) }),
  }
}

function expandUrl(text: string, expand: (text: string) => string): string {
  const expandedUrl = expand(text)
  const url = URL.canParse(expandedUrl) ? new URL(expandedUrl) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new ServerEntryError(`the url ${quote(text)} is not an http or https URL`)
  if (url.username !== '' || url.password !== '')
    throw new ServerEntryError('the url contains a user name or password; put them into headers')
  return expandedUrl
}

function resolveOAuth(
  oauth: NonNullable<McpServerEntry['oauth']>,
  expand: (text: string) => string,
): OAuthServerConfig {
  const { clientId, clientSecret, issuer, scope, callbackPort } = oauth
  return {
    ...(clientId !== undefined && { clientId: expand(clientId) }),
    ...(clientSecret !== undefined && { clientSecret: expand(clientSecret) }),
    ...(issuer !== undefined && { issuer: expand(issuer) }),
    ...(scope !== undefined && { scope: expand(scope) }),
    ...(callbackPort !== undefined && { callbackPort }),
  }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** Thrown if a value refers to a variable that is not set. */
export class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError'
  constructor(readonly variable: string) {
    super(`the variable ${variable} is not set; set it, or write \${${variable}:-default}`)
  }
}

const VARIABLE_REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Expands `${NAME}` and `${NAME:-default}` as a shell does: the default also replaces an empty value. */
export function expandVariables(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replace(VARIABLE_REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (fallback !== undefined) return value || fallback
    if (value === undefined) throw new MissingVariableError(name)
    return value
  })
}
