import { createHash } from 'node:crypto'
import { mcpToolName, normaliseMcpName } from '../../contract/mcp-name.js'
import { TOOL_NAME } from '../../contract/tool-identity.js'

const MAX_NAME = 64
const MAX_SERVER_PART = 26
const HASH_LENGTH = 8

/**
 * The part of a tool's name that stands for its server: without two underscores in a row and none at its end, so that it
 * cannot be taken for another server with the beginning of a tool. A name that had to be changed carries a mark of the whole.
 */
export function serverPart(serverName: string): string {
  const plain = normaliseMcpName(serverName)
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')
  if (plain === serverName && plain.length <= MAX_SERVER_PART && !MARK.test(plain)) return plain
  return marked(plain, serverName, MAX_SERVER_PART)
}

/** `mcp__server__tool` within what providers accept. Different tools get different names, whatever else the server has. */
export function prefixedName(serverName: string, toolName: string): string {
  const server = serverPart(serverName)
  const name = mcpToolName(server, toolName)
  // A name that ends as a marked one does is marked itself, or a server could choose the name that another tool gets.
  if (TOOL_NAME.test(name) && !MARK.test(toolName)) return name
  const room = MAX_NAME - mcpToolName(server, '').length
  return mcpToolName(server, marked(normaliseMcpName(toolName), toolName, room))
}

/** The tool's own name where the prefix is switched off and the name will do. */
export function ownName(toolName: string): string | undefined {
  return TOOL_NAME.test(toolName) ? toolName : undefined
}

const MARK = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`)

function marked(plain: string, whole: string, room: number): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH)
  const kept = plain.slice(0, room - HASH_LENGTH - 1).replace(/_+$/, '')
  return kept === '' ? hash : `${kept}_${hash}`
}
