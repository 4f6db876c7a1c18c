import { displayServerNames, displayServerName } from '../../contract/mcp/name.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'

/** What changed since the model was last told. */
export interface NamedChanges {
  readonly added: readonly DeferredName[]
  readonly removed: readonly DeferredName[]
  /** Servers that began to connect, and servers that no longer do. */
  readonly connecting: readonly string[]
  readonly settled: readonly string[]
}

/** Within so many characters tools are announced by name, the changes included. */
const ANNOUNCEMENT_CHARS = 4_000
/** Room for the sentences around the lists. */
const FRAME_CHARS = 1_100

/** The list at the start of a conversation. */
export function fullText(tools: readonly DeferredName[], pending: readonly string[]): string {
  const frame = (lines: readonly string[]) =>
    ['<available-deferred-tools>', ...lines, ...pendingLine(pending), '</available-deferred-tools>'].join('\n')
  const named = frame(tools.map(({ name }) => name))
  if (named.length <= ANNOUNCEMENT_CHARS) return named
  const heading =
    'There are more tools than can be named here: ToolSearch finds the tools of each server by words or by name.'
  return frame([heading, ...shortLines(tools, ANNOUNCEMENT_CHARS - FRAME_CHARS)])
}

/** A change later on. What was spent on names before is not there any more. */
export function changeText(changes: NamedChanges, spent: number): string {
  const named = changeFrame(changes, (tools) => tools.map(({ name }) => name))
  if (spent + named.length <= ANNOUNCEMENT_CHARS) return named
  return changeFrame(changes, (tools) => shortLines(tools, (ANNOUNCEMENT_CHARS - FRAME_CHARS) / 2))
}

function changeFrame(
  { added, removed, connecting, settled }: NamedChanges,
  list: (tools: readonly DeferredName[]) => readonly string[],
): string {
  return [
    '<system-reminder>',
    ...(added.length === 0 ? [] : ['More deferred tools, which ToolSearch loads:', ...list(added)]),
    ...(removed.length === 0 ? [] : ['These tools are gone, and calls to them fail:', ...list(removed)]),
    ...pendingLine(connecting),
    ...(settled.length === 0 ? [] : [`No longer connecting: ${displayServerNames(settled)}.`]),
    '</system-reminder>',
  ].join('\n')
}

function pendingLine(servers: readonly string[]): readonly string[] {
  if (servers.length === 0) return []
  return [`Still connecting: ${displayServerNames(servers)}. Search again later for their tools.`]
}

/** A deferred tool as it is announced. */
export interface DeferredName {
  readonly name: string
  /** Left out for a tool of the host itself. */
  readonly server?: string
}

const WORDS_PER_SERVER = 5

/** Tools within so many characters: those of the host, which are few, by name, and a line for each server. */
export function shortLines(tools: readonly DeferredName[], room: number): readonly string[] {
  const own = tools.flatMap(({ name, server }) => (server === undefined ? [name] : []))
  const names = cutLines(own, own.length === tools.length ? room : room / 2, 'tools')
  return [...names, ...serverLines(tools, room - names.join('\n').length - 1)]
}

/** Its name, how many tools, a few words on what for. The words go first where room is short. */
function serverLines(tools: readonly DeferredName[], room: number): readonly string[] {
  const servers = [...byServer(tools)].sort(([a], [b]) => compareCodeUnits(a, b))
  for (let words = WORDS_PER_SERVER; words >= 0; words--) {
    const lines = servers.map(([server, names]) => serverLine(server, names, words))
    if (lines.join('\n').length <= room) return lines
  }
  return cutLines(
    servers.map(([server, names]) => serverLine(server, names, 0)),
    room,
    'servers',
  )
}

function byServer(tools: readonly DeferredName[]): ReadonlyMap<string, readonly string[]> {
  const servers = new Map<string, string[]>()
  for (const { name, server } of tools) {
    if (server === undefined) continue
    const names = servers.get(server)
    if (names === undefined) servers.set(server, [name])
    else names.push(name)
  }
  return servers
}

function serverLine(server: string, names: readonly string[], words: number): string {
  const count = names.length === 1 ? '1 tool' : `${names.length} tools`
  const about = subjects(server, names, words)
  return `${displayServerName(server)}: ${count}${about.length === 0 ? '' : ` (${about.join(', ')})`}`
}

/** Words that say how a tool acts, and not on what. */
const VERBS = new Set(
  'mcp tool get list create update delete set add remove search find read write run fetch query check show by for of to and with from the all in'.split(
    ' ',
  ),
)

/** The words that most of its tools have in their names: the server's subject. */
function subjects(server: string, names: readonly string[], limit: number): readonly string[] {
  const own = new Set(wordsOf(server))
  const counts = new Map<string, number>()
  for (const name of names) {
    for (const word of new Set(wordsOf(name.replace(/^mcp__.+?__/, '')))) {
      if (/[a-z]{3}/.test(word) && !own.has(word) && !VERBS.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const most = [...counts].sort(([a, x], [b, y]) => y - x || compareCodeUnits(a, b))
  return most.slice(0, limit).map(([word]) => word)
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function cutLines(lines: readonly string[], room: number, what: string): readonly string[] {
  if (lines.join('\n').length <= room) return lines
  const shown: string[] = []
  let left = room - `… and ${lines.length} ${what} more`.length
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    shown.push(line)
  }
  return [...shown, `… and ${lines.length - shown.length} ${what} more`]
}
