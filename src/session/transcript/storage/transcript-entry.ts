import type { Message, ToolDefinition, ToolResultBlock } from '../../../contract/messages.js'
import type { ModelPrices } from '../../../contract/model/model.js'
import type { DecisionReason, DecisionStep, PermissionBehavior } from '../../../contract/permission/result.js'
import type { ReadFileEntry } from '../../../contract/ports/read-file-state.js'
import type { MessageFacts } from '../../conversation/session-event.js'
import type { ShownResult } from './shown-result.js'

/** Increase this number when older versions of Haft would misread the file. A new entry type alone needs no increase: older versions skip it. */
export const TRANSCRIPT_VERSION = 1

/**
 * The lines of a transcript. `type` comes first and fields that may be long come last: in a long session, only the
 * beginning of most lines is parsed.
 */
export type TranscriptEntry =
  | SessionStarted
  | MessageAdded
  | MessagesRewritten
  | CallStartedEntry
  | CallAskedEntry
  | CallAllowedEntry
  | CallEndedEntry
  | NestedCallStartedEntry
  | NestedCallEndedEntry
  | RequestPart
  | RequestTools
  | RequestSent
  | AgentStarted
  | ReadFilesChanged
  | StateSaved
  | TitleSet
  | LinesLost
  | SessionResumed
  | SessionEnded

interface EntryBase {
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface SessionStarted extends EntryBase {
  readonly type: 'session-started'
  readonly version: number
  readonly id: string
  readonly cwd: string
  readonly projectRoot: string
  /** Set in the file of a sub-agent. */
  readonly agentId?: string
  readonly forkedFrom?: string
  /** The session whose results folder a fork shares. */
  readonly resultsOf?: string
}

/** `spoken` counts only messages of type `user`, which include the results of calls, and `assistant`. */
interface MessageAdded extends EntryBase {
  readonly type: 'message-added'
  readonly from: Message['type']
  /** The number of messages including this one. It reveals missing lines. */
  readonly count: number
  readonly spoken: number
  readonly facts?: MessageFacts
  readonly message: Message
}

/** A range of the previous messages (end excluded), or the number of entries to take from `messages`. */
export type RewritePart = readonly [from: number, to: number] | number

interface MessagesRewritten extends EntryBase {
  readonly type: 'messages-rewritten'
  readonly cause: string
  readonly count: number
  readonly spoken: number
  readonly parts: readonly RewritePart[]
  readonly messages: readonly Message[]
}

interface CallEntry extends EntryBase {
  readonly toolUseId: string
}

/** Written before the call does anything. */
interface CallStartedEntry extends CallEntry {
  readonly type: 'call-started'
  readonly toolName: string
  /** When the model requested the call. */
  readonly queuedAt?: number
  /** The call in a few words, for lists. */
  readonly summary?: string
  /** Set if the message with the call is not written yet, because the model is still streaming it. */
  readonly input?: unknown
}

/** The user was asked for permission. The call does nothing until it is allowed. */
interface CallAskedEntry extends CallEntry {
  readonly type: 'call-asked'
}

interface CallAllowedEntry extends CallEntry {
  readonly type: 'call-allowed'
}

interface CallEndedEntry extends CallEntry {
  readonly type: 'call-ended'
  readonly errorCode?: string
  readonly trace?: CallTrace
  /** The view of the result as its tool rendered it. */
  readonly shown?: ShownResult
  readonly result: ToolResultBlock
}

/** A call that the tool of another call made. It is recorded for readers; the conversation contains only the other call. */
interface NestedCallStartedEntry extends CallEntry {
  readonly type: 'nested-call-started'
  readonly parentToolUseId: string
  readonly toolName: string
  readonly input: unknown
}

interface NestedCallEndedEntry extends CallEntry {
  readonly type: 'nested-call-ended'
  readonly parentToolUseId: string
  readonly errorCode?: string
  readonly trace?: CallTrace
  readonly result: ToolResultBlock
}

/** When and why things happened to a call. The number and the length of all texts are limited. */
export interface CallTrace {
  readonly queuedAt: number
  /** Questions and decisions, in order. */
  readonly decisions?: readonly RecordedDecision[]
  readonly hooks?: readonly RecordedHook[]
  readonly steps?: readonly RecordedStep[]
}

export interface RecordedDecision {
  readonly at: number
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  readonly waitedMs?: number
  readonly stages?: readonly (readonly [stage: string, outcome: DecisionStep['outcome'], text: string])[]
}

export interface RecordedHook {
  readonly at: number
  readonly event: string
  readonly hook: string
  readonly outcome: string
  readonly message?: string
}

/** A step of a call: its start in milliseconds after `queuedAt`, its duration, and how much of it was waiting for the user. */
export type RecordedStep = readonly [name: string, startMs: number, durationMs: number, waitedMs?: number]

/** A text of the system prompt or the definition of a tool, recorded when it is first sent. */
interface RequestPart extends EntryBase {
  readonly type: 'request-part'
  readonly hash: string
  readonly kind: 'system' | 'tool'
  readonly value: string | ToolDefinition
}

/** The tools of a request, recorded when they differ from those of the previous one. */
interface RequestTools extends EntryBase {
  readonly type: 'request-tools'
  readonly hash: string
  readonly tools: readonly RecordedTool[]
}

/** `isDeferred` means that the provider withholds the definition from the model, so that it costs no tokens. */
export type RecordedTool = readonly [name: string, bytes: number, hash: string, isDeferred?: 1]

/** `detail` is the tool, the kind of an attachment or, for the system prompt, the hash. */
export type RecordedPart = readonly [kind: string, bytes: number, detail?: string]

export type RecordedMessage = readonly [
  from: 'user' | 'assistant',
  bytes: number,
  hash: string,
  parts: readonly RecordedPart[],
]

/** Written before a request is sent. `messages` are those after the first `kept`, which the previous request also had. */
interface RequestSent extends EntryBase {
  readonly type: 'request-sent'
  readonly model: string
  /** The size of the JSON of `system`, `tools` and `messages`. */
  readonly bytes: number
  readonly window: number
  readonly prices?: ModelPrices
  /** The hash of the last `request-tools` entry. */
  readonly tools: string
  readonly kept: number
  readonly system: readonly RecordedPart[]
  readonly messages: readonly RecordedMessage[]
}

/** A sub-agent started. Its conversation is in its own file. */
interface AgentStarted extends EntryBase {
  readonly type: 'agent-started'
  readonly agentId: string
}

interface ReadFilesChanged extends EntryBase {
  readonly type: 'read-files'
  readonly gone?: readonly string[]
  readonly changed: readonly (readonly [path: string, entry: ReadFileEntry])[]
}

interface StateSaved extends EntryBase {
  readonly type: 'state'
  readonly key: string
  readonly value?: unknown
}

interface TitleSet extends EntryBase {
  readonly type: 'title'
  readonly title: string
}

/** Lines were dropped because writing failed and the pending lines exceeded the memory limit. */
interface LinesLost extends EntryBase {
  readonly type: 'lines-lost'
  readonly count: number
}

/** The session was resumed here. The messages before this entry contain the outcome of every earlier call. */
interface SessionResumed extends EntryBase {
  readonly type: 'session-resumed'
}

interface SessionEnded extends EntryBase {
  readonly type: 'session-ended'
  readonly reason?: string
}

/** Serialises an entry to one line. Throws if JSON cannot represent it. */
export function serialiseEntry(entry: TranscriptEntry): string {
  const line = JSON.stringify(entry)
  // Some line readers treat these characters as line breaks.
  return line.includes('\u2028') || line.includes('\u2029') ? line.replace(/[\u2028\u2029]/g, escapeCharacter) : line
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`
}
