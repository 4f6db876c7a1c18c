import { createHash } from 'node:crypto'
import { mcpToolName, normaliseMcpName } from '../../contract/mcp/name.js'
import { TOOL_NAME } from '../../contract/tool/identity.js'

const MAX_NAME_LENGTH = 64
const MAX_SERVER_PART_LENGTH = 40
const HASH_LENGTHS = [8, 16, 24] as const

/**
 * The server part of tool names: the server name with only allowed characters. If two would be equal, or a part could be
 * confused with another server plus the start of a tool name, a hash of the full name is appended.
 */
export function serverParts(serverNames: readonly string[]): ReadonlyMap<string, string> {
  const isPlain = (part: string): boolean => part.length <= MAX_SERVER_PART_LENGTH && !AMBIGUOUS_SERVER_PART.test(part)
  const parts = makeDistinct(serverNames, MAX_SERVER_PART_LENGTH, isPlain)
  return new Map(serverNames.map((name, index) => [name, parts[index] ?? name]))
}

/**
 * Builds `mcp__server__tool` for all tools of one server, within the providers' length limit. All names are distinct.
 */
function prefixedNames(serverPart: string, toolNames: readonly string[]): readonly string[] {
  const maxLength = MAX_NAME_LENGTH - mcpToolName(serverPart, '').length
  return makeDistinct(toolNames, maxLength, (name) => name.length <= maxLength).map((name) =>
    mcpToolName(serverPart, name),
  )
}

/** Such a server part would make the boundary to the tool name ambiguous. */
const AMBIGUOUS_SERVER_PART = /__|_$/

/** Normalises names. Equal or unsuitable ones get a hash suffix; names that needed no change keep theirs. */
function makeDistinct(
  names: readonly string[],
  maxLength: number,
  isPlain: (name: string) => boolean,
): readonly string[] {
  const plain = names.map(normaliseMcpName)
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isKept = plain.map((name, index) => isPlain(name) && (name === names[index] || counts.get(name) === 1))
  const taken = new Set(plain.filter((_, index) => isKept[index]))
  return plain.map((name, index) => (isKept[index] ? name : claimName(taken, name, names[index] ?? name, maxLength)))
}

/** Appends a hash. If the result is already taken, possibly on purpose, a longer hash is used. */
function claimName(taken: Set<string>, plain: string, whole: string, maxLength: number): string {
  const hash = createHash('sha256').update(whole).digest('hex')
  const candidates = HASH_LENGTHS.map((length) => {
    const kept = plain
      .slice(0, Math.max(0, maxLength - length - 1))
      .replace(/_{2,}/g, '_')
      .replace(/_$/, '')
    return `${kept}_${hash.slice(0, length)}`.slice(-maxLength)
  })
  const name = candidates.find((each) => !taken.has(each)) ?? hash.slice(0, maxLength)
  taken.add(name)
  return name
}

/** The distinct tool names of one server. */
export interface ServerTools {
  readonly serverName: string
  readonly toolNames: readonly string[]
  /** False: tools keep their own names if these are unique. */
  readonly prefix: boolean
}

/**
 * Assigns the names under which the model sees the tools, one list per server. All names are valid and distinct.
 * Servers that have not started yet are included, so that names do not change when they start.
 */
export function nameTools(
  servers: readonly ServerTools[],
  reserved: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const parts = serverParts(servers.map(({ serverName }) => serverName))
  const owners = new Map<string, number>()
  for (const name of servers.flatMap(({ toolNames }) => toolNames)) owners.set(name, (owners.get(name) ?? 0) + 1)
  return servers.map(({ serverName, toolNames, prefix }) => {
    const prefixed = prefixedNames(parts.get(serverName) ?? serverName, toolNames)
    if (prefix) return prefixed
    // A name that looks prefixed could be an attempt to imitate another server's tool.
    const isOwn = (name: string): boolean =>
      owners.get(name) === 1 && TOOL_NAME.test(name) && !reserved.has(name) && !name.startsWith('mcp__')
    return toolNames.map((name, index) => (isOwn(name) ? name : (prefixed[index] ?? name)))
  })
}
