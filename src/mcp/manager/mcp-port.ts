import { ToolCallError } from '../../contract/errors.js'
import type { McpPort, McpResource, McpResourceContent } from '../../contract/ports/mcp.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { quote } from '../../shared/quote.js'
import { MAX_DESCRIPTION_CHARS, toPlainLine, toPlainText } from '../tools/to-plain-line.js'
import type { ManagedServer } from './managed-server.js'

const MAX_URI_CHARS = 8_192
const MAX_NAME_CHARS = 256

/** Creates the port through which tools use the servers. */
export function createMcpPort(servers: ReadonlyMap<string, ManagedServer>): McpPort {
  const findServer = (name: string): ManagedServer => {
    const server = servers.get(name)
    if (server !== undefined) return server
    const knownNames = [...servers.keys()].map(quote).join(', ')
    throw new ToolCallError(
      'unavailable',
      `Unknown MCP server ${quote(name)}. Configured servers: ${knownNames || 'none'}.`,
    )
  }
  return {
    callTool: async (server, tool, args, options) => findServer(server).callTool(tool, args, options),
    async listResources(name) {
      const selectedServers =
        name === undefined ? [...servers.values()].filter((server) => server.offer?.hasResources) : [findServer(name)]
      const lists = await Promise.all(selectedServers.map((server) => listServerResources(server, name !== undefined)))
      return lists.flat()
    },
    async readResource(name, uri) {
      const { entries } = await findServer(name).request('resources/read', { uri })
      return entries.flatMap((entry) => readContent(entry, uri))
    },
  }
}

/** Lists the resources of a server. If the server fails, it is skipped, unless it was requested explicitly. */
async function listServerResources(server: ManagedServer, isExplicit: boolean): Promise<readonly McpResource[]> {
  try {
    const { capabilities } = (await server.connect()).info
    if (!capabilities.resources) return []
    const [resources, templates] = await Promise.all([
      server.list('resources/list'),
      // Not every server with resources supports templates.
      server.list('resources/templates/list').catch(() => []),
    ])
    return [...resources, ...templates].flatMap((entry) => readResource(server.name, entry))
  } catch (error) {
    if (isExplicit) throw error
    return []
  }
}

/** Reads an entry of a resource list or a template list. A template is listed with its URI pattern. */
function readResource(server: string, entry: unknown): McpResource[] {
  if (!isRecord(entry)) return []
  const uri = entry.uri ?? entry.uriTemplate
  if (typeof uri !== 'string' || uri.length > MAX_URI_CHARS) return []
  const { mimeType, description } = entry
  const name = entry.title ?? entry.name
  return [
    {
      server,
      uri,
      name: toPlainLine(typeof name === 'string' ? name : uri, MAX_NAME_CHARS),
      ...(typeof mimeType === 'string' && { mimeType: toPlainLine(mimeType, MAX_NAME_CHARS) }),
      ...(typeof description === 'string' && {
        description: shortenText(toPlainText(description), MAX_DESCRIPTION_CHARS),
      }),
    },
  ]
}

function readContent(entry: unknown, requestedUri: string): McpResourceContent[] {
  if (!isRecord(entry)) return []
  const { uri, mimeType, text, blob } = entry
  return [
    {
      uri: typeof uri === 'string' ? uri : requestedUri,
      ...(typeof mimeType === 'string' && { mimeType: toPlainLine(mimeType, MAX_NAME_CHARS) }),
      ...(typeof text === 'string' && { text: toPlainOutput(text) }),
      ...(typeof blob === 'string' && { blob }),
    },
  ]
}
