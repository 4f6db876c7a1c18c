import { createHash } from 'node:crypto'
import { normaliseMcpName, toMcpToolName } from '../../contract/mcp/name.js'
import { TOOL_NAME } from '../../contract/tool/identity.js'

const MAX_NAME_LENGTH = 64
const MAX_SERVER_PART_LENGTH = 40
const HASH_LENGTHS = [8, 16, 24] as const

/**
 * Chooses the server part of tool names: the server name with only allowed characters. If two parts would be equal, or one
 * could be confused with another server plus the start of a tool name, a hash of the full name is appended.
 */
export function chooseServerParts(serverNames: readonly string[]): ReadonlyMap<string, string> {
  const isAcceptable = (part: string): boolean =>
    part.length <= MAX_SERVER_PART_LENGTH && !AMBIGUOUS_SERVER_PART.test(part)
  const parts = makeDistinct(serverNames, MAX_SERVER_PART_LENGTH, isAcceptable)
  return new Map(serverNames.map((name, index) => [name, parts[index] ?? name]))
}

/**
 * Builds `mcp__server__tool` for all tools of one server, within the providers' length limit. All names are distinct.
 */
function prefixNames(serverPart: string, toolNames: readonly string[]): readonly string[] {
  const maxLength = MAX_NAME_LENGTH - toMcpToolName(serverPart, '').length
  return makeDistinct(toolNames, maxLength, (name) => name.length <= maxLength).map((name) =>
    toMcpToolName(serverPart, name),
  )
}

/** Server parts for which the end of the server name would be ambiguous. */
const AMBIGUOUS_SERVER_PART = /__|_$/

/** Normalises names. A hash is appended to unacceptable names, and to equal names that normalisation changed. */
function makeDistinct(
  names: readonly string[],
  maxLength: number,
  isAcceptable: (name: string) => boolean,
): readonly string[] {
  const normalisedNames = names.map(normaliseMcpName)
  const counts = new Map<string, number>()
  for (const name of normalisedNames) counts.set(name, (counts.get(name) ?? 0) + 1)
  const canKeep = normalisedNames.map(
    (name, index) => isAcceptable(name) && (name === names[index] || counts.get(name) === 1),
  )
  const takenNames = new Set(normalisedNames.filter((_, index) => canKeep[index]))
  return normalisedNames.map((name, index) =>
    canKeep[index] ? name : claimName(takenNames, name, names[index] ?? name, maxLength),
  )
}

/** Appends a hash. If the result is already taken, possibly on purpose, a longer hash is used. */
function claimName(takenNames: Set<string>, normalisedName: string, fullName: string, maxLength: number): string {
  const hash = createHash('sha256').update(fullName).digest('hex')
  const candidates = HASH_LENGTHS.map((length) => {
    const prefix = normalisedName
      .slice(0, Math.max(0, maxLength - length - 1))
      .replace(/_{2,}/g, '_')
      .replace(/_$/, '')
    return `${prefix}_${hash.slice(0, length)}`.slice(-maxLength)
  })
  const name = candidates.find((candidate) => !takenNames.has(candidate)) ?? hash.slice(0, maxLength)
  takenNames.add(name)
  return name
}

/** The tools of one server that need names. */
export interface ServerTools {
  readonly serverName: string
  readonly toolNames: readonly string[]
  /** If false, tools keep their own names if these are unique. */
  readonly prefix: boolean
}

/**
 * Assigns the names under which the model sees the tools, one list for each server. All names are valid and distinct. Servers
 * that have not started yet are included, so that names do not change when they start.
 */
export function nameTools(
  servers: readonly ServerTools[],
  reservedNames: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const parts = chooseServerParts(servers.map(({ serverName }) => serverName))
  const counts = new Map<string, number>()
  for (const name of servers.flatMap(({ toolNames }) => toolNames)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return servers.map(({ serverName, toolNames, prefix }) => {
    const prefixedNames = prefixNames(parts.get(serverName) ?? serverName, toolNames)
    if (prefix) return prefixedNames
    // A name that looks prefixed could be an attempt to imitate another server's tool.
    const canKeepName = (name: string): boolean =>
      counts.get(name) === 1 && TOOL_NAME.test(name) && !reservedNames.has(name) && !name.startsWith('mcp__')
    return toolNames.map((name, index) => (canKeepName(name) ? name : (prefixedNames[index] ?? name)))
  })
}
