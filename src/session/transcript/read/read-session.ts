import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs'
import type { AssistantMessage, Message, ToolResultBlock } from '../../../contract/messages.js'
import type { ModelUsage } from '../../../contract/model/model.js'
import type { ReadFileEntry } from '../../../contract/ports/read-file-state.js'
import { describeFailure } from '../../../results/preview.js'
import { isRecord } from '../../../shared/is-record.js'
import { LineReader } from '../storage/line-reader.js'
import { SessionError } from '../storage/session-error.js'
import type { SessionPaths } from '../storage/session-paths.js'
import { type SessionStarted, TRANSCRIPT_VERSION } from '../storage/transcript-entry.js'
import { type CallLines, isMessage, isResult, type MessageRef, TranscriptIndex } from './transcript-index.js'

/** The outcome of a call, as far as the transcript recorded it. */
export type RecordedOutcome =
  | { readonly kind: 'ended'; readonly result: ToolResultBlock }
  /** The call was running when the session was interrupted. Its tool may have made other calls. */
  | { readonly kind: 'started'; readonly nestedCalls: readonly NestedCall[] }
  /** The call was waiting for permission when the session was interrupted. */
  | { readonly kind: 'asked' }
  | { readonly kind: 'unstarted' }
  /** The outcome could not be written to disk. */
  | { readonly kind: 'unknown' }

/** A call that the tool of another call made. */
export interface NestedCall {
  readonly toolName: string
  readonly input: unknown
  /** Undefined if the call was running when the session was interrupted. */
  readonly result: ToolResultBlock | undefined
}

/** A call from a message that the model had not finished. */
export interface EarlyCall {
  readonly id: string
  readonly toolName: string
  readonly input: unknown
  readonly outcome: RecordedOutcome
}

/** The contents of a transcript, as `readSession` returns them. */
export interface SessionRecord {
  readonly start: SessionStarted | undefined
  /** In file order. Unreadable messages are undefined. */
  readonly messages: readonly (Message | undefined)[]
  outcomeOf(message: Message, toolUseId: string): RecordedOutcome
  /** Calls that started during streaming and whose message was never completed. */
  readonly earlyCalls: readonly EarlyCall[]
  readonly state: Readonly<Record<string, unknown>>
  readonly readFiles: ReadonlyMap<string, ReadFileEntry>
  readonly agents: ReadonlySet<string>
  readonly title: string | undefined
  readonly model: string | undefined
  /** The total of all messages of the main agent, including compacted ones. */
  readonly usage: ModelUsage
  readonly lastAt: number
  /** The number of unreadable lines, without the one that a killed process was writing. */
  readonly unreadableCount: number
  readonly hasEnded: boolean
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Reads a transcript without changing anything. */
export function readSession(paths: SessionPaths): SessionRecord {
  return readTranscript(paths.transcript, existsSync(paths.gap))
}

function readTranscript(path: string, hasGap: boolean): SessionRecord {
  const descriptor = openTranscriptFile(path)
  try {
    return buildRecord(new LineReader(descriptor), path, hasGap)
  } finally {
    closeSync(descriptor)
  }
}

/** Opens a transcript. The caller closes it. */
export function openTranscriptFile(path: string): number {
  try {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) throw new SessionError('not_found', `Session file ${path} does not exist.`, { cause: error })
    throw new SessionError('unreadable', `Session file ${path} cannot be read: ${describeFailure(error)}.`, {
      cause: error,
    })
  }
  throw new SessionError(
    'unreadable',
    `Session file ${path} cannot be read: it is not a regular file. Choose another session.`,
  )
}

function buildRecord(reader: LineReader, path: string, hasGap: boolean): SessionRecord {
  const index = new TranscriptIndex(reader)
  const {
    start,
    messages: messageRefs,
    segment,
    state,
    readFiles,
    agents,
    title,
    model,
    usage,
    lastAt,
    hasEnded,
  } = index
  if (start !== undefined && start.version > TRANSCRIPT_VERSION) {
    throw new SessionError('newer_version', `${path} was written by a newer version of Haft. Update Haft to resume it.`)
  }
  const messages = readMessages(reader, messageRefs)
  if (start === undefined && messages.every((message) => message === undefined)) {
    throw new SessionError('unreadable', `${path} is not a session: it has no readable entries.`)
  }
  const segments = new Map<Message, number>()
  for (const [at, message] of messages.entries()) {
    const ref = messageRefs[at]
    if (message?.type === 'assistant' && ref !== undefined) segments.set(message, ref.segment)
  }
  const isUncertain = (callSegment: number) => index.isUncertain(callSegment) || (hasGap && callSegment === segment)
  const findOutcome: FindOutcome = (callSegment, id) =>
    readOutcome(reader, index.findCall(callSegment, id), isUncertain(callSegment))
  return {
    ...{ start, messages, state: Object.fromEntries(state), readFiles, agents, title, model, usage, lastAt, hasEnded },
    unreadableCount: index.unreadableCount,
    outcomeOf: readOutcomes(messages, segments, findOutcome),
    earlyCalls: findEarlyCalls(index, reader, segments, findOutcome),
  }
}

function readMessages(reader: LineReader, messageRefs: readonly (MessageRef | undefined)[]): (Message | undefined)[] {
  // A rewrite has many messages on one line.
  let rewrite: { readonly at: number; readonly messages: readonly unknown[] } | undefined
  return messageRefs.map((ref) => {
    if (ref === undefined) return undefined
    if (ref.nth !== undefined) {
      if (rewrite?.at !== ref.line.offset)
        rewrite = { at: ref.line.offset, messages: readRewrittenMessages(reader.parse(ref.line)) }
      return asMessage(rewrite.messages[ref.nth])
    }
    const entry = reader.parse(ref.line)
    return isRecord(entry) ? asMessage(entry.message) : undefined
  })
}

function readRewrittenMessages(entry: unknown): readonly unknown[] {
  return isRecord(entry) && Array.isArray(entry.messages) ? entry.messages : []
}

function asMessage(value: unknown): Message | undefined {
  return isMessage(value) ? value : undefined
}

type FindOutcome = (segment: number, id: string) => RecordedOutcome

/** Reads the outcomes of calls that have no result in the conversation. Must run while the file is open. */
function readOutcomes(
  messages: readonly (Message | undefined)[],
  segments: ReadonlyMap<Message, number>,
  findOutcome: FindOutcome,
): SessionRecord['outcomeOf'] {
  const outcomes = new Map<Message, Map<string, RecordedOutcome>>()
  for (const [at, message] of messages.entries()) {
    const segment = message && segments.get(message)
    if (message?.type !== 'assistant' || segment === undefined || areAnswered(message, messages[at + 1])) continue
    const unansweredIds = findCallsWithoutResult(message, messages, at)
    if (unansweredIds.length > 0)
      outcomes.set(message, new Map(unansweredIds.map((id) => [id, findOutcome(segment, id)])))
  }
  return (message, id) => outcomes.get(message)?.get(id) ?? { kind: 'unstarted' }
}

function findCallsWithoutResult(
  message: Message & { type: 'assistant' },
  messages: readonly (Message | undefined)[],
  at: number,
): readonly string[] {
  const ids = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  if (ids.length === 0) return ids
  const answeredIds = new Set<string>()
  for (let nextIndex = at + 1; nextIndex < messages.length; nextIndex++) {
    const laterMessage = messages[nextIndex]
    if (laterMessage?.type === 'assistant') break
    if (laterMessage?.type !== 'user' || typeof laterMessage.content === 'string') continue
    for (const block of laterMessage.content) if (block.type === 'tool_result') answeredIds.add(block.tool_use_id)
  }
  return ids.filter((id) => !answeredIds.has(id))
}

function findEarlyCalls(
  index: TranscriptIndex,
  reader: LineReader,
  segments: ReadonlyMap<Message, number>,
  findOutcome: FindOutcome,
): readonly EarlyCall[] {
  const { segment } = index
  const callIds = new Set<string>()
  for (const [message, messageSegment] of segments) {
    if (messageSegment !== segment || message.type !== 'assistant') continue
    for (const block of message.content) if (block.type === 'tool_use') callIds.add(block.id)
  }
  const earlyCallLines = index
    .listCalls(segment)
    .filter(({ id, startLine }) => !callIds.has(id) && startLine !== undefined)
  return earlyCallLines.map(({ id, startLine }) => {
    const entry = startLine && reader.parse(startLine)
    const { toolName, input } = isRecord(entry) ? entry : {}
    return { id, toolName: typeof toolName === 'string' ? toolName : '', input, outcome: findOutcome(segment, id) }
  })
}

function readOutcome(reader: LineReader, call: CallLines | undefined, isUncertain: boolean): RecordedOutcome {
  const result = call?.endLine && resultOf(reader.parse(call.endLine))
  if (result !== undefined) return { kind: 'ended', result }
  if (isUncertain) return { kind: 'unknown' }
  if (call?.startLine === undefined) return { kind: 'unstarted' }
  if (call.isAsked === true && call.isAllowed !== true) return { kind: 'asked' }
  return { kind: 'started', nestedCalls: readNestedCalls(reader, call) }
}

function readNestedCalls(reader: LineReader, { nestedCalls = new Map() }: CallLines): readonly NestedCall[] {
  return [...nestedCalls.values()].flatMap(({ startLine, endLine }) => {
    const entry = startLine && reader.parse(startLine)
    if (!isRecord(entry) || typeof entry.toolName !== 'string') return []
    return [{ toolName: entry.toolName, input: entry.input, result: endLine && resultOf(reader.parse(endLine)) }]
  })
}

function resultOf(entry: unknown): ToolResultBlock | undefined {
  return isRecord(entry) && isResult(entry.result) ? entry.result : undefined
}

/** Fast path: whether the next message has exactly the results of these calls, in order. True for nearly every message. */
export function areAnswered({ content }: AssistantMessage, nextMessage: Message | undefined): boolean {
  const answers = nextMessage?.type === 'user' && typeof nextMessage.content !== 'string' ? nextMessage.content : []
  let at = 0
  for (const block of content) {
    if (block.type !== 'tool_use') continue
    const answer = answers[at++]
    if (answer?.type !== 'tool_result' || answer.tool_use_id !== block.id) return false
  }
  return answers.every(({ type }, index) => index < at || type !== 'tool_result')
}
