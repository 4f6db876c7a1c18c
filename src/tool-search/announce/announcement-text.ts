import { displayServerName, displayServerNames } from '../../contract/mcp/name.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'

/** The changes since the last announcement. */
export interface NamedChanges {
  readonly added: readonly DeferredName[]
  readonly removed: readonly DeferredName[]
  /** Servers that started to connect. */
  readonly connecting: readonly string[]
  /** Servers that are no longer connecting. */
  readonly settledServers: readonly string[]
}

/** Budget for announcing tools by name in one conversation. Above it, tools are summarised by server. */
const MAX_ANNOUNCEMENT_CHARS = 4_000
/** Characters reserved for the sentences around the lists. */
const RESERVED_FRAME_CHARS = 1_100

/** Formats the announcement at the start of a conversation. */
export function formatFullText(tools: readonly DeferredName[], pendingServers: readonly string[]): string {
  const wrapInFrame = (lines: readonly string[]) =>
    [
      '<available-deferred-tools>',
      ...lines,
      ...formatPendingServers(pendingServers),
      '</available-deferred-tools>',
    ].join('\n')
  const namesText = wrapInFrame(tools.map(({ name }) => name))
  if (namesText.length <= MAX_ANNOUNCEMENT_CHARS) return namesText
  const heading =
    'There are too many tools to list here. Use ToolSearch to find the tools of a server by keywords or by name.'
  return wrapInFrame([heading, ...summariseServers(tools, MAX_ANNOUNCEMENT_CHARS - RESERVED_FRAME_CHARS)])
}

/** Formats the announcement of later changes. Earlier announcements have already used `spentChars` of the budget. */
export function formatChanges(changes: NamedChanges, spentChars: number): string {
  const namesText = formatChange(changes, (tools) => tools.map(({ name }) => name))
  if (spentChars + namesText.length <= MAX_ANNOUNCEMENT_CHARS) return namesText
  return formatChange(changes, (tools) => summariseServers(tools, (MAX_ANNOUNCEMENT_CHARS - RESERVED_FRAME_CHARS) / 2))
}

function formatChange(
  { added, removed, connecting, settledServers }: NamedChanges,
  list: (tools: readonly DeferredName[]) => readonly string[],
): string {
  return [
    '<system-reminder>',
    ...(added.length === 0 ? [] : ['New deferred tools, which ToolSearch can load:', ...list(added)]),
    ...(removed.length === 0 ? [] : ['These tools are no longer available, and calls to them fail:', ...list(removed)]),
    ...formatPendingServers(connecting),
    ...(settledServers.length === 0 ? [] : [`No longer connecting: ${displayServerNames(settledServers)}.`]),
    '</system-reminder>',
  ].join('\n')
}

function formatPendingServers(servers: readonly string[]): readonly string[] {
  if (servers.length === 0) return []
  return [`Still connecting: ${displayServerNames(servers)}. Search again later for their tools.`]
}

/** A deferred tool as it is announced: by its name, or as one of the tools of its server. */
export interface DeferredName {
  readonly name: string
  /** Undefined for a built-in tool. */
  readonly server?: string
}

const MAX_TOPICS_PER_SERVER = 5

/** Summarises tools within `maxChars`: built-in tools by name, and one line for each server. */
function summariseServers(tools: readonly DeferredName[], maxChars: number): readonly string[] {
  const builtInNames = tools.flatMap(({ name, server }) => (server === undefined ? [name] : []))
  const names = truncateLines(builtInNames, builtInNames.length === tools.length ? maxChars : maxChars / 2, 'tools')
  return [...names, ...formatServers(tools, maxChars - names.join('\n').length - 1)]
}

/** Formats one line for each server: its name, the number of tools and a few topics, which are dropped first if space is short. */
function formatServers(tools: readonly DeferredName[], maxChars: number): readonly string[] {
  const servers = [...groupByServer(tools)].sort(([a], [b]) => compareCodeUnits(a, b))
  for (let maxTopics = MAX_TOPICS_PER_SERVER; maxTopics >= 0; maxTopics--) {
    const lines = servers.map(([server, names]) => formatServer(server, names, maxTopics))
    if (lines.join('\n').length <= maxChars) return lines
  }
  return truncateLines(
    servers.map(([server, names]) => formatServer(server, names, 0)),
    maxChars,
    'servers',
  )
}

function groupByServer(tools: readonly DeferredName[]): ReadonlyMap<string, readonly string[]> {
  const servers = new Map<string, string[]>()
  for (const { name, server } of tools) {
    if (server === undefined) continue
    const names = servers.get(server)
    if (names === undefined) servers.set(server, [name])
    else names.push(name)
  }
  return servers
}

function formatServer(server: string, names: readonly string[], maxTopics: number): string {
  const count = names.length === 1 ? '1 tool' : `${names.length} tools`
  const topics = chooseTopics(server, names, maxTopics)
  return `${displayServerName(server)}: ${count}${topics.length === 0 ? '' : ` (${topics.join(', ')})`}`
}

/** Words in tool names that do not describe a topic: actions and function words. */
const NON_TOPIC_WORDS = new Set(
  'mcp tool get list create update delete set add remove search find read write run fetch query check show by for of to and with from the all in'.split(
    ' ',
  ),
)

/** Returns the most frequent words in the names of a server's tools. */
function chooseTopics(server: string, names: readonly string[], limit: number): readonly string[] {
  const serverWords = new Set(wordsOf(server))
  const counts = new Map<string, number>()
  for (const name of names) {
    for (const word of new Set(wordsOf(name.replace(/^mcp__.+?__/, '')))) {
      if (/[a-z]{3}/.test(word) && !serverWords.has(word) && !NON_TOPIC_WORDS.has(word))
        counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const topicsByFrequency = [...counts].sort(([a, x], [b, y]) => y - x || compareCodeUnits(a, b))
  return topicsByFrequency.slice(0, limit).map(([word]) => word)
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function truncateLines(lines: readonly string[], maxChars: number, noun: string): readonly string[] {
  if (lines.join('\n').length <= maxChars) return lines
  const shownLines: string[] = []
  let remainingChars = maxChars - `… and ${lines.length} more ${noun}`.length
  for (const line of lines) {
    remainingChars -= line.length + 1
    if (remainingChars < 0) break
    shownLines.push(line)
  }
  return [...shownLines, `… and ${lines.length - shownLines.length} more ${noun}`]
}
