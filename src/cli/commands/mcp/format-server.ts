import type { McpServerEntry } from '../../../contract/mcp/server-entry.js'
import { toPrintable } from '../../../shared/printable.js'
import { quoteForShell } from '../../../shared/quote.js'
import type { ListedServer } from './load-servers.js'

/** Returns the command or URL of a server as configured. Variables are not expanded. */
export function formatTarget({ command, args = [], url = '' }: McpServerEntry): string {
  return command === undefined ? url : [command, ...args].map(quoteWord).join(' ')
}

/** Returns everything that is approved with a server. Nothing is masked, because hidden values cannot be reviewed. */
export function formatEntry(entry: McpServerEntry): string {
  const lines = listEntryDetails(entry, String).map(([key, value]) => `  ${key.padEnd(8)}${value}`)
  return [formatTarget(entry), ...lines].map(toPrintable).join('\n')
}

/** Returns the details of an entry; `show` formats values that may be secrets. */
export function listEntryDetails(
  { cwd, env = {}, headers = {}, headersHelper }: McpServerEntry,
  show: (value: unknown) => string,
): readonly (readonly [string, string])[] {
  return [
    ...(cwd === undefined ? [] : [['in', cwd] as const]),
    ...Object.entries(env).map(([name, value]) => ['env', `${name}=${show(value)}`] as const),
    ...Object.entries(headers).map(([name, value]) => ['header', `${name}: ${show(value)}`] as const),
    ...(headersHelper === undefined ? [] : [['helper', headersHelper] as const]),
  ]
}

/** Returns a server for `--json`. Values that may be secrets are masked, unless they refer to a variable. */
export function toServerView({ name, source, file, state, reason, server }: ListedServer) {
  const commonFields = {
    name,
    source,
    ...(file !== undefined && { file }),
    state,
    ...(reason !== undefined && { reason }),
  }
  if (server === undefined) return commonFields
  const { env, headers, oauth, ...otherFields } = server.entry
  return {
    ...commonFields,
    ...otherFields,
    type: server.config.type,
    ...(env !== undefined && { env: maskValues(env) }),
    ...(headers !== undefined && { headers: maskValues(headers) }),
    ...(oauth !== undefined && {
      oauth: { ...oauth, ...(oauth.clientSecret !== undefined && maskValues({ clientSecret: oauth.clientSecret })) },
    }),
  }
}

function maskValues(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, maskValue(value)]))
}

export function maskValue(value: unknown): string {
  return /\$\{\w+/.test(String(value)) ? String(value) : '…'
}

/** Describes a state and what to do about it. */
export function formatState({ name, state, reason }: ListedServer): string {
  if (state === 'broken') return `invalid: ${reason}`
  if (state === 'unapproved') return `not approved; run haft mcp approve ${name}`
  if (state === 'untrusted') return 'not started: the project is not trusted'
  return state
}

function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text)
}
