import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { askByElicitation } from './ask-by-elicitation.js'
import type { UpstreamServers } from './upstream-servers.js'

interface ServerUse {
  readonly server: { readonly name: string }
  readonly method: string
  readonly target: Readonly<Record<string, unknown>>
}

/** Asks the user if a rule requires it, because the rules for a server apply to everything it offers. Throws if refused. */
export async function requirePermission(
  { mustAskAbout }: Pick<UpstreamServers, 'mustAskAbout'>,
  { server, method, target }: ServerUse,
): Promise<void> {
  if (!mustAskAbout(server.name)) return
  const message = `A permission rule requires asking before the MCP server ${server.name} is used.`
  const input = { server: server.name, ...target }
  const answer = await askByElicitation({ message, tool: { name: method }, input, suggestions: [] })
  if (answer.behavior === 'allow') return
  const reason =
    answer.behavior === 'unavailable'
      ? 'The client does not support elicitation, so the user was not asked.'
      : 'The user declined.'
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${message} ${reason}`)
}
