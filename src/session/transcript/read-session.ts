import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs'
import type { Message, ToolResultBlock } from '../../contract/messages.js'
import type { ModelUsage } from '../../contract/model/model.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { describeFailure } from '../../results/preview.js'
import { isRecord } from '../../shared/is-record.js'
import { areAnswered } from './are-answered.js'
import { LineReader } from './line-reader.js'
import { SessionError } from './session-error.js'
import type { SessionPlace } from './session-place.js'
import { type SessionStarted, TRANSCRIPT_VERSION } from './transcript-entry.js'
import { type CallLines, isMessage, isResult, type MessageRef, TranscriptIndex } from './transcript-index.js'

/** What became of a call, as far as it was written down. */
export type CallFate =
  | { readonly kind: 'ended'; readonly result: ToolResultBlock }
  /** It ran when the session was cut off. */
  | { readonly kind: 'started' }
  /** It waited for a person to allow it. */
  | { readonly kind: 'asked' }
  | { readonly kind: 'unstarted' }
  /** The disk did not take what happened. */
  | { readonly kind: 'unknown' }

/** A call of a message that the model had not ended. */
export interface EarlyCall {
  readonly id: string
  readonly toolName: string
  readonly input: unknown
  readonly fate: CallFate
}

/** All that a transcript tells. */
export interface SessionRecord {
  readonly start: SessionStarted | undefined
  /** As the file has them: a hole stands for one that cannot be read any more. */
  readonly messages: readonly (Message | undefined)[]
  fateOf(message: Message, toolUseId: string): CallFate
  /** Calls that began while the model still spoke, and whose message was never whole. */
  readonly earlyCalls: readonly EarlyCall[]
  readonly state: Readonly<Record<string, unknown>>
  readonly readFiles: ReadonlyMap<string, ReadFileEntry>
  readonly agents: ReadonlySet<string>
  readonly title: string | undefined
  readonly model: string | undefined
  /** Of all messages of the main agent, those that were compacted, too. */
  readonly usage: ModelUsage
  readonly lastAt: number
  /** How many of its lines say nothing any more. */
  readonly unreadable: number
  readonly hasEnded: boolean
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Reads a transcript; changes nothing. */
export function readSession(place: SessionPlace): SessionRecord {
  return readTranscript(place.transcript, existsSync(place.gap))
}

function readTranscript(path: string, hasGap: boolean): SessionRecord {
  const descriptor = openToRead(path)
  try {
    return recordOf(new LineReader(descriptor), path, hasGap)
  } finally {
    closeSync(descriptor)
  }
}

function openToRead(path: string): number {
  try {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) throw new SessionError('not_found', `There is no session in ${path}.`, { cause: error })
    throw new SessionError('unreadable', `${path} cannot be read: ${describeFailure(error)}.`, { cause: error })
  }
  throw new SessionError('unreadable', `${path} is no regular file.`)
}

function recordOf(reader: LineReader, path: string, hasGap: boolean): SessionRecord {
  const index = new TranscriptIndex(reader)
  const { start, messages: refs, segment, state, readFiles, agents, title, model, usage, lastAt, hasEnded } = index
  if (start !== undefined && start.version > TRANSCRIPT_VERSION) {
    throw new SessionError('newer_version', `${path} was written by a newer Haft; update Haft to go on with it.`)
  }
  const messages = readMessages(reader, refs)
  if (start === undefined && messages.every((message) => message === undefined)) {
    throw new SessionError('unreadable', `${path} is no session: nothing in it can be read as one.`)
  }
  const segments = new Map<Message, number>()
  for (const [at, message] of messages.entries()) {
    const ref = refs[at]
    if (message?.type === 'assistant' && ref !== undefined) segments.set(message, ref.segment)
  }
  const isUncertain = (of: number) => index.isUncertain(of) || (hasGap && of === segment)
  const fateIn = (of: number, id: string): CallFate => {
    return fateOf(reader, index.callIn(of, id), isUncertain(of))
  }
  return {
    ...{ start, messages, state: Object.fromEntries(state), readFiles, agents, title, model, usage, lastAt, hasEnded },
    unreadable: index.unreadable,
    fateOf: fatesOfMessages(messages, segments, fateIn),
    earlyCalls: earlyCallsIn(index, reader, segments, fateIn),
  }
}

function readMessages(reader: LineReader, refs: readonly (MessageRef | undefined)[]): (Message | undefined)[] {
  // A rewrite brings many messages on one line.
  let rewrite: { readonly at: number; readonly messages: readonly unknown[] } | undefined
  return refs.map((ref) => {
    if (ref === undefined) return undefined
    if (ref.nth !== undefined) {
      if (rewrite?.at !== ref.line.offset)
        rewrite = { at: ref.line.offset, messages: rewritten(reader.parse(ref.line)) }
      return asMessage(rewrite.messages[ref.nth])
    }
    const entry = reader.parse(ref.line)
    return isRecord(entry) ? asMessage(entry.message) : undefined
  })
}

function rewritten(entry: unknown): readonly unknown[] {
  return isRecord(entry) && Array.isArray(entry.messages) ? entry.messages : []
}

function asMessage(value: unknown): Message | undefined {
  return isMessage(value) ? value : undefined
}

type FateIn = (segment: number, id: string) => CallFate

/** Asked while the file is open, because the results of calls are read only where they are needed. */
function fatesOfMessages(
  messages: readonly (Message | undefined)[],
  segments: ReadonlyMap<Message, number>,
  fateIn: FateIn,
): SessionRecord['fateOf'] {
  const fates = new Map<Message, Map<string, CallFate>>()
  for (const [at, message] of messages.entries()) {
    const segment = message && segments.get(message)
    if (message?.type !== 'assistant' || segment === undefined || areAnswered(message, messages[at + 1])) continue
    const missing = callsWithoutResult(message, messages, at)
    if (missing.length > 0) fates.set(message, new Map(missing.map((id) => [id, fateIn(segment, id)])))
  }
  return (message, id) => fates.get(message)?.get(id) ?? { kind: 'unstarted' }
}

function callsWithoutResult(
  message: Message & { type: 'assistant' },
  messages: readonly (Message | undefined)[],
  at: number,
): readonly string[] {
  const ids = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  if (ids.length === 0) return ids
  const answered = new Set<string>()
  for (let next = at + 1; next < messages.length; next++) {
    const later = messages[next]
    if (later?.type === 'assistant') break
    if (later?.type !== 'user' || typeof later.content === 'string') continue
    for (const block of later.content) if (block.type === 'tool_result') answered.add(block.tool_use_id)
  }
  return ids.filter((id) => !answered.has(id))
}

function earlyCallsIn(
  index: TranscriptIndex,
  reader: LineReader,
  segments: ReadonlyMap<Message, number>,
  fateIn: FateIn,
): readonly EarlyCall[] {
  const { segment } = index
  const made = new Set<string>()
  for (const [message, of] of segments) {
    if (of !== segment || message.type !== 'assistant') continue
    for (const block of message.content) if (block.type === 'tool_use') made.add(block.id)
  }
  const early = index.callsOf(segment).filter(({ id, started }) => !made.has(id) && started !== undefined)
  return early.map(({ id, started }) => {
    const entry = started && reader.parse(started)
    const { toolName, input } = isRecord(entry) ? entry : {}
    return { id, toolName: typeof toolName === 'string' ? toolName : '', input, fate: fateIn(segment, id) }
  })
}

function fateOf(reader: LineReader, call: CallLines | undefined, isUncertain: boolean): CallFate {
  const result = call?.ended && resultOf(reader.parse(call.ended))
  if (result !== undefined) return { kind: 'ended', result }
  if (isUncertain) return { kind: 'unknown' }
  if (call?.started === undefined) return { kind: 'unstarted' }
  return { kind: call.isAsked === true && call.isAllowed !== true ? 'asked' : 'started' }
}

function resultOf(entry: unknown): ToolResultBlock | undefined {
  return isRecord(entry) && isResult(entry.result) ? entry.result : undefined
}
