import type { McpServerEntry } from '../../../contract/mcp-server-entry.js'
import { quoteForShell } from '../../../shared/quote-for-shell.js'
import type { ListedServer } from './load-servers.js'

/** What a server starts or reaches, as it is written: what variables stand for is never shown. */
export function targetText({ command, args = [], url = '' }: McpServerEntry): string {
  return command === undefined ? url : [command, ...args].map(word).join(' ')
}

/** A server for `--json`. Values that may be secrets are left out, unless only a variable names them. */
export function shownServer({ name, source, file, state, reason, server }: ListedServer) {
  const place = { name, source, ...(file !== undefined && { file }), state, ...(reason !== undefined && { reason }) }
  if (server === undefined) return place
  const { env, headers, oauth, ...rest } = server.written
  return {
    ...place,
    ...rest,
    type: server.config.type,
    ...(env !== undefined && { env: masked(env) }),
    ...(headers !== undefined && { headers: masked(headers) }),
    ...(oauth !== undefined && {
      oauth: { ...oauth, ...(oauth.clientSecret !== undefined && masked({ clientSecret: oauth.clientSecret })) },
    }),
  }
}

export function masked(record: Readonly<Record<string, unknown>>): Record<string, string> {
  const shown = (value: unknown) => (/\$\{\w+/.test(String(value)) ? String(value) : '…')
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, shown(value)]))
}

/** What a state means, and what to do about it. */
export function stateText({ name, state, reason }: ListedServer): string {
  if (state === 'broken') return `broken: ${reason}`
  if (state === 'unapproved') return `not approved; haft mcp approve ${name}`
  if (state === 'untrusted') return 'not started: the project is not trusted'
  return state
}

function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text)
}
