import { createHash } from 'node:crypto'
import { mcpToolName, normaliseMcpName } from '../../contract/mcp/name.js'
import { TOOL_NAME } from '../../contract/tool/identity.js'

const MAX_NAME = 64
const MAX_SERVER_PART = 40
const MARK_LENGTHS = [8, 16, 24] as const

/**
 * The part of a tool's name that stands for its server: its name in the characters that are allowed. Where two would be
 * alike, or one could be taken for another server with the beginning of a tool, it carries a mark of the whole name.
 */
export function serverParts(serverNames: readonly string[]): ReadonlyMap<string, string> {
  const isPlain = (part: string): boolean => part.length <= MAX_SERVER_PART && !HAS_SEAM.test(part)
  const parts = distinct(serverNames, MAX_SERVER_PART, isPlain)
  return new Map(serverNames.map((name, index) => [name, parts[index] ?? name]))
}

/** `mcp__server__tool` for all tools of one server, within what providers accept. No two are the same. */
function prefixedNames(serverPart: string, toolNames: readonly string[]): readonly string[] {
  const room = MAX_NAME - mcpToolName(serverPart, '').length
  return distinct(toolNames, room, (name) => name.length <= room).map((name) => mcpToolName(serverPart, name))
}

/** Where such a name ends and the name of a tool begins could not be told. */
const HAS_SEAM = /__|_$/

/** Normalised names, of which those that are alike or will not do carry a mark; one that needed no change keeps its name. */
function distinct(names: readonly string[], room: number, isPlain: (name: string) => boolean): readonly string[] {
  const plain = names.map(normaliseMcpName)
  const alike = new Map<string, number>()
  for (const name of plain) alike.set(name, (alike.get(name) ?? 0) + 1)
  const isKept = plain.map((name, index) => isPlain(name) && (name === names[index] || alike.get(name) === 1))
  const taken = new Set(plain.filter((_, index) => isKept[index]))
  return plain.map((name, index) => (isKept[index] ? name : take(taken, name, names[index] ?? name, room)))
}

/** A mark that another name happens to end in, or was chosen to, makes way for a longer one. */
function take(taken: Set<string>, plain: string, whole: string, room: number): string {
  const hash = createHash('sha256').update(whole).digest('hex')
  const marked = MARK_LENGTHS.map((length) => {
    const kept = plain
      .slice(0, Math.max(0, room - length - 1))
      .replace(/_{2,}/g, '_')
      .replace(/_$/, '')
    return `${kept}_${hash.slice(0, length)}`.slice(-room)
  })
  const name = marked.find((each) => !taken.has(each)) ?? hash.slice(0, room)
  taken.add(name)
  return name
}

/** The tools of one server, by the names it gives them, each once. */
export interface ServerTools {
  readonly serverName: string
  readonly toolNames: readonly string[]
  /** False: they go by their own names where nobody else has them. */
  readonly prefix: boolean
}

/**
 * The names that tools are shown under, a list for each server. All are valid and no two are the same.
 * Servers that have not come up yet count, so that no name changes when they do.
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
    // What looks like the tool of a server could be meant to pass for another's.
    const isOwn = (name: string): boolean =>
      owners.get(name) === 1 && TOOL_NAME.test(name) && !reserved.has(name) && !name.startsWith('mcp__')
    return toolNames.map((name, index) => (isOwn(name) ? name : (prefixed[index] ?? name)))
  })
}
