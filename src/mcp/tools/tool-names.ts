import { createHash } from 'node:crypto'
import { mcpToolName, normaliseMcpName } from '../../contract/mcp-name.js'

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
export function prefixedNames(serverPart: string, toolNames: readonly string[]): readonly string[] {
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
