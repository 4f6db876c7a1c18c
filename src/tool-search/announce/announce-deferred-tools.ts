import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { incrementally } from '../../shared/growing-list.js'
import { isRecord } from '../../shared/is-record.js'
import { changeText, fullText, type NamedChanges } from './announcement-text.js'
import type { DeferredName } from './announcement-text.js'

const KIND = 'deferred_tools'

/** What can be found now and is not loaded. */
export interface DeferredNow {
  readonly tools: readonly DeferredName[]
  /** Those that need no search: a tool that was announced and is one of them now is not gone. */
  readonly sentWhole: ReadonlySet<string>
  /** Servers that are still connecting. */
  readonly pendingServers: readonly string[]
}

/** What an announcement holds: what the model reads, and what changed with it, so that the next knows what was told. */
export interface DeferredToolsNotice {
  readonly text: string
  readonly added: readonly DeferredName[]
  readonly removed: readonly string[]
  readonly pending: readonly string[]
}

/**
 * What the model has to be told of deferred tools, given the conversation so far: at the start the whole list, later
 * only what changed, and nothing where nothing did. The attachment belongs into the conversation.
 */
export function announceDeferredTools(messages: readonly Message[], now: DeferredNow): AttachmentMessage | undefined {
  const told = noticesIn(messages)
  const tools = sorted(now.tools)
  const pending = [...new Set(now.pendingServers)].sort(compareCodeUnits)
  if (told.length === 0) {
    if (tools.length === 0 && pending.length === 0) return undefined
    return notice({ text: fullText(tools, pending), added: tools, removed: [], pending })
  }
  const changes = changesSince(told, { ...now, tools }, pending)
  if (Object.values(changes).every((list) => list.length === 0)) return undefined
  const spent = told.reduce((sum, { text }) => sum + text.length, 0)
  const { added, removed } = changes
  return notice({ text: changeText(changes, spent), added, removed: removed.map(({ name }) => name), pending })
}

const noticesIn = incrementally<Message, DeferredToolsNotice[]>(
  () => [],
  (notices, message) => {
    const found = readNotice(message)
    if (found !== undefined) notices.push(found)
  },
)

/** What an attachment tells the model of deferred tools, if that is what it is for. */
export function deferredToolsText(message: Message): string | undefined {
  return readNotice(message)?.text
}

function changesSince(
  told: readonly DeferredToolsNotice[],
  { tools, sentWhole }: DeferredNow,
  pending: readonly string[],
): NamedChanges {
  const known = new Map<string, DeferredName>()
  for (const { added, removed } of told) {
    for (const tool of added) known.set(tool.name, tool)
    for (const name of removed) known.delete(name)
  }
  const wasPending = new Set(told.at(-1)?.pending)
  const there = new Set([...tools.map(({ name }) => name), ...sentWhole])
  return {
    added: tools.filter(({ name }) => !known.has(name)),
    removed: sorted([...known.values()].filter(({ name }) => !there.has(name))),
    connecting: pending.filter((server) => !wasPending.has(server)),
    settled: [...wasPending].filter((server) => !pending.includes(server)),
  }
}

/** Built-in tools, then those of servers, each by name: the same tools always give the same text. */
function sorted(tools: readonly DeferredName[]): DeferredName[] {
  return [...tools].sort(
    (a, b) => Number(a.server !== undefined) - Number(b.server !== undefined) || compareCodeUnits(a.name, b.name),
  )
}

function notice(data: DeferredToolsNotice): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data }
}

/** A transcript may be of any age: what is no announcement is none. */
function readNotice(message: Message): DeferredToolsNotice | undefined {
  if (message.type !== 'attachment' || message.kind !== KIND || !isRecord(message.data)) return undefined
  const { text, added, removed, pending } = message.data
  if (typeof text !== 'string') return undefined
  return {
    text,
    added: listOf(added).filter((each): each is DeferredName => isRecord(each) && typeof each.name === 'string'),
    removed: listOf(removed).filter(isText),
    pending: listOf(pending).filter(isText),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
