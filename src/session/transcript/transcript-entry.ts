import type { Message, ToolResultBlock } from '../../contract/messages.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import type { MessageFacts } from '../conversation/conversation.js'

/** Goes up when an older Haft would misread what a newer one wrote; an entry of a new type alone is skipped by it. */
export const TRANSCRIPT_VERSION = 1

/**
 * The lines of a transcript. `type` comes first and what may be long comes last: most lines of a long session are never
 * parsed but for their beginning.
 */
export type TranscriptEntry =
  | SessionStarted
  | MessageAdded
  | MessagesRewritten
  | CallStarted
  | CallAsked
  | CallAllowed
  | CallEnded
  | AgentStarted
  | ReadFilesChanged
  | StateSaved
  | TitleSet
  | LinesLost
  | SessionResumed
  | SessionEnded

interface Entry {
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface SessionStarted extends Entry {
  readonly type: 'session-started'
  readonly version: number
  readonly id: string
  readonly cwd: string
  readonly projectRoot: string
  /** Of a sub-agent's own file. */
  readonly agentId?: string
  readonly forkedFrom?: string
  /** The session with whose results those of a fork are kept. */
  readonly resultsOf?: string
}

/** `spoken` is how many of the messages are of the user or the model: what Haft adds is none to a person. */
interface MessageAdded extends Entry {
  readonly type: 'message-added'
  readonly from: Message['type']
  /** How many messages there are with this one: a line that is missing is noticed. */
  readonly count: number
  readonly spoken: number
  readonly facts?: MessageFacts
  readonly message: Message
}

/** A range of messages as they were before, the end not included, or how many of `messages` come next. */
export type RewritePart = readonly [from: number, to: number] | number

interface MessagesRewritten extends Entry {
  readonly type: 'messages-rewritten'
  readonly cause: string
  readonly count: number
  readonly spoken: number
  readonly parts: readonly RewritePart[]
  readonly messages: readonly Message[]
}

interface CallEntry extends Entry {
  readonly toolUseId: string
}

/** Is written before the call does anything. */
interface CallStarted extends CallEntry {
  readonly type: 'call-started'
  readonly toolName: string
  /** Where the message that makes the call is not written yet, because the model still speaks. */
  readonly input?: unknown
}

/** A person was asked whether the call may run; until they allow it, it has done nothing. */
interface CallAsked extends CallEntry {
  readonly type: 'call-asked'
}

interface CallAllowed extends CallEntry {
  readonly type: 'call-allowed'
}

interface CallEnded extends CallEntry {
  readonly type: 'call-ended'
  readonly errorCode?: string
  readonly result: ToolResultBlock
}

/** From here on what a sub-agent does stands in a file of its own. */
interface AgentStarted extends Entry {
  readonly type: 'agent-started'
  readonly agentId: string
}

interface ReadFilesChanged extends Entry {
  readonly type: 'read-files'
  readonly gone?: readonly string[]
  readonly changed: readonly (readonly [path: string, entry: ReadFileEntry])[]
}

interface StateSaved extends Entry {
  readonly type: 'state'
  readonly key: string
  readonly value?: unknown
}

interface TitleSet extends Entry {
  readonly type: 'title'
  readonly title: string
}

/** The disk refused lines for so long that some were given up. */
interface LinesLost extends Entry {
  readonly type: 'lines-lost'
  readonly count: number
}

/** Somebody goes on from here; the model has been told what became of the calls before. */
interface SessionResumed extends Entry {
  readonly type: 'session-resumed'
}

interface SessionEnded extends Entry {
  readonly type: 'session-ended'
  readonly reason?: string
}

/** Serialises an entry to one line. Throws if JSON cannot represent it. */
export function entryLine(entry: TranscriptEntry): string {
  const line = JSON.stringify(entry)
  // Some line readers treat these characters as line breaks.
  return line.includes('\u2028') || line.includes('\u2029') ? line.replace(/[\u2028\u2029]/g, escapeCharacter) : line
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`
}
