import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { createIncrementalFold } from '../../shared/growing-list.js'
import { isRecord } from '../../shared/is-record.js'
import type { DeferredName } from './announcement-text.js'
import { formatChanges, formatFullText, type NamedChanges } from './announcement-text.js'

const ATTACHMENT_KIND = 'deferred_tools'

/** The tools that the model can search for now. */
export interface CurrentDeferredTools {
  readonly tools: readonly DeferredName[]
  /** Tools whose definitions are sent. An announced tool that is among them now has not disappeared. */
  readonly sentInFull: ReadonlySet<string>
  /** Servers that are still connecting. */
  readonly pendingServers: readonly string[]
}

/**
 * The data of an announcement: the text for the model, and the changes, from which the next announcement is computed.
 */
export interface DeferredToolsNotice {
  readonly text: string
  readonly added: readonly DeferredName[]
  readonly removed: readonly string[]
  readonly pending: readonly string[]
}

/**
 * Returns the announcement of deferred tools that the conversation needs: the complete list at the start, later only
 * the changes, and undefined without changes. The caller adds the attachment to the conversation.
 */
export function announceDeferredTools(
  messages: readonly Message[],
  currentTools: CurrentDeferredTools,
): AttachmentMessage | undefined {
  const notices = collectNotices(messages)
  const tools = sortTools(currentTools.tools)
  const pendingServers = [...new Set(currentTools.pendingServers)].sort(compareCodeUnits)
  if (notices.length === 0) {
    if (tools.length === 0 && pendingServers.length === 0) return undefined
    return toAttachment({
      text: formatFullText(tools, pendingServers),
      added: tools,
      removed: [],
      pending: pendingServers,
    })
  }
  const changes = findChangesSince(notices, { ...currentTools, tools }, pendingServers)
  if (Object.values(changes).every((list) => list.length === 0)) return undefined
  const spentChars = notices.reduce((sum, { text }) => sum + text.length, 0)
  const { added, removed } = changes
  return toAttachment({
    text: formatChanges(changes, spentChars),
    added,
    removed: removed.map(({ name }) => name),
    pending: pendingServers,
  })
}

/** Reads each message of a growing conversation once. */
const collectNotices = createIncrementalFold<Message, DeferredToolsNotice[]>(
  () => [],
  (notices, message) => {
    const foundNotice = readNotice(message)
    if (foundNotice !== undefined) notices.push(foundNotice)
  },
)

export function countAnnouncements(messages: readonly Message[]): number {
  return collectNotices(messages).length
}

/** Returns the text of an announcement, or undefined for any other message. */
export function formatDeferredTools(message: Message): string | undefined {
  return readNotice(message)?.text
}

function findChangesSince(
  notices: readonly DeferredToolsNotice[],
  { tools, sentInFull }: CurrentDeferredTools,
  pendingServers: readonly string[],
): NamedChanges {
  const announcedTools = new Map<string, DeferredName>()
  for (const { added, removed } of notices) {
    for (const tool of added) announcedTools.set(tool.name, tool)
    for (const name of removed) announcedTools.delete(name)
  }
  const previouslyPendingServers = new Set(notices.at(-1)?.pending)
  const availableNames = new Set([...tools.map(({ name }) => name), ...sentInFull])
  return {
    added: tools.filter(({ name }) => !announcedTools.has(name)),
    removed: sortTools([...announcedTools.values()].filter(({ name }) => !availableNames.has(name))),
    connecting: pendingServers.filter((server) => !previouslyPendingServers.has(server)),
    settledServers: [...previouslyPendingServers].filter((server) => !pendingServers.includes(server)),
  }
}

/** Sorts built-in tools before tools of servers, both by name, so that the same tools always produce the same text. */
function sortTools(tools: readonly DeferredName[]): DeferredName[] {
  return [...tools].sort(
    (a, b) => Number(a.server !== undefined) - Number(b.server !== undefined) || compareCodeUnits(a.name, b.name),
  )
}

function toAttachment(data: DeferredToolsNotice): AttachmentMessage {
  return { type: 'attachment', kind: ATTACHMENT_KIND, data }
}

/**
 * Parses an announcement leniently, because an old transcript may contain another format. Malformed entries are
 * skipped.
 */
function readNotice(message: Message): DeferredToolsNotice | undefined {
  if (message.type !== 'attachment' || message.kind !== ATTACHMENT_KIND || !isRecord(message.data)) return undefined
  const { text, added, removed, pending } = message.data
  if (typeof text !== 'string') return undefined
  return {
    text,
    added: toList(added).filter((value): value is DeferredName => isRecord(value) && typeof value.name === 'string'),
    removed: toList(removed).filter(isString),
    pending: toList(pending).filter(isString),
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
