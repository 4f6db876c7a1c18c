import type { Message, ToolResultBlock } from '../../../contract/messages.js'
import { addUsage, type ModelUsage, NO_USAGE } from '../../../contract/model/model.js'
import type { ReadFileEntry } from '../../../contract/ports/read-file-state.js'
import { isRecord } from '../../../shared/is-record.js'
import { type LineReader, type LineRef, parseJson, type ScannedLine } from '../storage/line-reader.js'
import { applyParts } from '../storage/rewrite-parts.js'
import type { SessionStarted } from '../storage/transcript-entry.js'

/** The position of a message: its own line, or the n-th message of a rewrite. */
export interface MessageRef {
  readonly line: LineRef
  readonly nth?: number
  /** A segment ends with a user message or when the session is resumed. Call ids are unique only within it: some providers restart them in each turn. */
  readonly segment: number
}

/** The lines about one call. */
export interface CallLines {
  readonly id: string
  startLine?: LineRef
  endLine?: LineRef
  isAsked?: boolean
  isAllowed?: boolean
  /** The calls that the tool of this call made, by id, in the order in which they started. */
  nestedCalls?: Map<string, CallLines>
}

const CLOSING_BRACE = 0x7d
const ENTRY_TYPE = /^\{"type":"([a-z-]+)"/
const CALL_HEAD = /^\{"type":"call-[a-z]+","toolUseId":"([^"\\]*)"/
const NESTED_CALL_HEAD = /^\{"type":"nested-call-[a-z]+","toolUseId":"([^"\\]*)","parentToolUseId":"([^"\\]*)"/
const MESSAGE_HEAD =
  /^\{"type":"message-added","from":"([a-z]+)","count":(\d+)(?:,"spoken":\d+)?,"at":(\d+),(?:("facts":)|"message":)/
const MAX_TYPE_LENGTH = 64
const MESSAGE_HEAD_BYTES = 128
/** Enough for ordinary ids. For longer ones the whole line is parsed. */
const MAX_CALL_HEAD_BYTES = 300

/** An index of a transcript by line. Messages that were replaced later are never parsed. */
export class TranscriptIndex {
  readonly #reader: LineReader
  start: SessionStarted | undefined
  messages: (MessageRef | undefined)[] = []
  /** The calls of each segment, by id. */
  readonly #calls = new Map<number, Map<string, CallLines>>()
  /** Segments with dropped lines, where unrecorded calls may have run. */
  readonly #uncertainSegments = new Set<number>()
  segment = 0
  readonly state = new Map<string, unknown>()
  readonly readFiles = new Map<string, ReadFileEntry>()
  readonly agents = new Set<string>()
  title: string | undefined
  model: string | undefined
  usage: ModelUsage = NO_USAGE
  lastAt = 0
  /** Unreadable lines, without the one that a killed process was writing. */
  unreadableCount = 0
  #isAfterUnreadable = false
  /** Whether the last line is `session-ended`. */
  hasEnded = false

  constructor(reader: LineReader) {
    this.#reader = reader
    reader.scan((scannedLine) => this.#indexLine(scannedLine))
  }

  findCall(segment: number, id: string): CallLines | undefined {
    return this.#calls.get(segment)?.get(id)
  }

  isUncertain(segment: number): boolean {
    return this.#uncertainSegments.has(segment)
  }

  /** Returns the calls of a segment, in the order in which they started. */
  listCalls(segment: number): readonly CallLines[] {
    return [...(this.#calls.get(segment)?.values() ?? [])]
  }

  #indexLine(scannedLine: ScannedLine): void {
    // Every entry is an object. A torn line rarely ends with a brace.
    const isComplete =
      scannedLine.lastByte === CLOSING_BRACE && (!scannedLine.isUnterminated || this.#parse(scannedLine) !== undefined)
    const isAfterUnreadable = this.#isAfterUnreadable
    this.#isAfterUnreadable = false
    if (!isComplete) {
      if (!scannedLine.isUnterminated) this.#countUnreadable()
      return
    }
    const type = ENTRY_TYPE.exec(scannedLine.head.toString('latin1', 0, MAX_TYPE_LENGTH))?.[1]
    this.hasEnded = false
    // A line torn by a kill or a full disk was already handled by the process that wrote this entry.
    if (isAfterUnreadable && (type === 'session-resumed' || type === 'lines-lost')) this.unreadableCount--
    if (type === 'message-added') this.#indexMessage(scannedLine)
    else if (type?.startsWith('call-') === true) this.#indexCall(type, scannedLine)
    else if (type?.startsWith('nested-call-') === true) this.#indexNestedCall(type, scannedLine)
    // What requests contained is not needed to resume.
    else if (type?.startsWith('request-') === true) return
    else this.#indexParsed(scannedLine)
  }

  #countUnreadable(): void {
    this.unreadableCount++
    this.#isAfterUnreadable = true
  }

  #indexMessage(scannedLine: ScannedLine): void {
    const [, from, count, at, facts] =
      MESSAGE_HEAD.exec(scannedLine.head.toString('latin1', 0, MESSAGE_HEAD_BYTES)) ?? []
    if (from === undefined) {
      this.#indexForeignMessage(scannedLine)
      return
    }
    this.#noteTime(Number(at))
    if (facts !== undefined) this.#applyFacts(this.#parseBefore(',"message":', scannedLine)?.facts)
    this.#addMessage(from, Number(count), scannedLine.line)
  }

  /** Handles lines from other programs, with fields in another order. */
  #indexForeignMessage(scannedLine: ScannedLine): void {
    const entry = this.#parse(scannedLine)
    if (!isRecord(entry)) {
      this.#countUnreadable()
      return
    }
    this.#noteTime(entry.at)
    this.#applyFacts(entry.facts)
    this.#addMessage(entry.from, entry.count, scannedLine.line)
  }

  #addMessage(from: unknown, count: unknown, line: LineRef): void {
    this.#fillMissing(count)
    this.messages.push({ line, segment: this.segment })
    if (from === 'user') this.segment++
  }

  /** Adds undefined for missing messages, and removes a torn one that was written again. */
  #fillMissing(count: unknown): void {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1) return
    const knownCount = this.messages.length
    if (count <= knownCount && this.#isTorn(this.messages[count - 1])) this.messages.length = count - 1
    else if (count > knownCount + 1 && count - knownCount < MAX_MISSING_MESSAGES) {
      for (let missingNumber = knownCount + 1; missingNumber < count; missingNumber++) this.messages.push(undefined)
    }
  }

  #isTorn(ref: MessageRef | undefined): boolean {
    return ref === undefined || this.#reader.parse(ref.line) === undefined
  }

  #indexCall(type: string, scannedLine: ScannedLine): void {
    const id =
      CALL_HEAD.exec(scannedLine.head.toString('utf8', 0, MAX_CALL_HEAD_BYTES))?.[1] ?? idOf(this.#parse(scannedLine))
    if (id === undefined) return
    const calls = this.#calls.get(this.segment) ?? new Map<string, CallLines>()
    this.#calls.set(this.segment, calls)
    if (type === 'call-started') {
      // Reinserted, because the order of the map is the start order of the calls.
      calls.delete(id)
      calls.set(id, { id, startLine: scannedLine.line })
      return
    }
    const call = calls.get(id) ?? { id }
    if (type === 'call-ended') call.endLine = scannedLine.line
    else if (type === 'call-asked') call.isAsked = true
    else if (type === 'call-allowed') call.isAllowed = true
    calls.set(id, call)
  }

  #indexNestedCall(type: string, scannedLine: ScannedLine): void {
    const [, id, parentId] = NESTED_CALL_HEAD.exec(scannedLine.head.toString('utf8', 0, 2 * MAX_CALL_HEAD_BYTES)) ?? []
    const parent = parentId === undefined ? undefined : this.findCall(this.segment, parentId)
    if (id === undefined || parent === undefined) return
    parent.nestedCalls ??= new Map()
    const call = parent.nestedCalls.get(id) ?? { id }
    if (type === 'nested-call-started') call.startLine = scannedLine.line
    else if (type === 'nested-call-ended') call.endLine = scannedLine.line
    parent.nestedCalls.set(id, call)
  }

  #indexParsed(scannedLine: ScannedLine): void {
    const entry = this.#parse(scannedLine)
    if (!isRecord(entry)) {
      this.#countUnreadable()
      return
    }
    this.#noteTime(entry.at)
    const { type } = entry
    if (type === 'session-started') this.start ??= readStart(entry)
    else if (type === 'messages-rewritten') this.#applyRewrite(entry, scannedLine.line)
    else if (type === 'read-files') this.#applyReadFiles(entry)
    else if (type === 'state' && typeof entry.key === 'string') this.#applyState(entry.key, entry.value)
    else if (type === 'title' && typeof entry.title === 'string') this.title = entry.title
    else if (type === 'agent-started' && typeof entry.agentId === 'string') this.agents.add(entry.agentId)
    else if (type === 'lines-lost') this.#uncertainSegments.add(this.segment)
    else if (type === 'session-resumed') this.segment++
    else if (type === 'session-ended') this.hasEnded = true
  }

  #applyRewrite({ parts, messages }: Record<string, unknown>, line: LineRef): void {
    if (!Array.isArray(parts) || !Array.isArray(messages)) return
    const { segment } = this
    const total = parts.reduce<number>((sum, part) => sum + sizeOf(part), 0)
    // A corrupt range may contain any number.
    if (total > this.messages.length + messages.length + MAX_MISSING_MESSAGES) return
    this.messages = applyParts(this.messages, parts, (nth): MessageRef => ({ line, nth, segment }))
  }

  #applyFacts(facts: unknown): void {
    if (!isRecord(facts)) return
    const { model, usage } = facts
    if (typeof model === 'string') this.model = model
    if (isUsage(usage)) this.usage = addUsage(this.usage, usage)
  }

  #applyState(key: string, value: unknown): void {
    if (value === undefined) this.state.delete(key)
    else this.state.set(key, value)
  }

  #applyReadFiles({ gone, changed }: Record<string, unknown>): void {
    for (const path of Array.isArray(gone) ? gone : []) this.readFiles.delete(path)
    for (const item of Array.isArray(changed) ? changed : []) {
      const [path, entry]: unknown[] = Array.isArray(item) ? item : []
      if (typeof path !== 'string' || !isReadFileEntry(entry)) continue
      this.readFiles.delete(path)
      this.readFiles.set(path, entry)
    }
  }

  #noteTime(at: unknown): void {
    if (typeof at === 'number' && at > this.lastAt) this.lastAt = at
  }

  #parse({ head, line }: ScannedLine): unknown {
    return head.length === line.length ? parseJson(head.toString('utf8')) : this.#reader.parse(line)
  }

  /** Parses the fields of a line before its long last field. */
  #parseBefore(marker: string, scannedLine: ScannedLine): Record<string, unknown> | undefined {
    const at = scannedLine.head.indexOf(marker)
    const entry = at === -1 ? this.#parse(scannedLine) : parseJson(`${scannedLine.head.toString('utf8', 0, at)}}`)
    return isRecord(entry) ? entry : undefined
  }
}

/** More missing messages than this mean that the count is corrupt. */
const MAX_MISSING_MESSAGES = 100_000

/** Returns the number of messages in a part. Never negative: a negative part would allow another to exceed the limit. */
function sizeOf(part: unknown): number {
  if (typeof part === 'number') return Math.max(0, part)
  const isRange = Array.isArray(part) && typeof part[0] === 'number' && typeof part[1] === 'number'
  return isRange ? Math.max(0, part[1] - part[0]) : 0
}

function idOf(entry: unknown): string | undefined {
  return isRecord(entry) && typeof entry.toolUseId === 'string' ? entry.toolUseId : undefined
}

function readStart(entry: Record<string, unknown>): SessionStarted | undefined {
  const { version, id, cwd, projectRoot } = entry
  const isComplete = typeof version === 'number' && [id, cwd, projectRoot].every((text) => typeof text === 'string')
  return isComplete ? (entry as unknown as SessionStarted) : undefined
}

export function isUsage(usage: unknown): usage is ModelUsage {
  if (!isRecord(usage)) return false
  return ['input', 'output', 'cacheRead', 'cacheWrite'].every((name) => Number.isFinite(usage[name]))
}

function isReadFileEntry(entry: unknown): entry is ReadFileEntry {
  return isRecord(entry) && typeof entry.contentHash === 'string' && typeof entry.mtimeMs === 'number'
}

/** Checks the shape of a message. Blocks of unknown types are accepted. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false
  const { type, content } = value
  if (type === 'attachment') return typeof value.kind === 'string'
  if (type === 'system') return typeof content === 'string'
  if (type === 'user' && typeof content === 'string') return true
  return (type === 'user' || type === 'assistant') && Array.isArray(content) && content.every(isBlock)
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block)) return false
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string'
    case 'thinking':
      return typeof block.thinking === 'string'
    case 'tool_use':
      return typeof block.id === 'string' && typeof block.name === 'string'
    case 'tool_result':
      return isResult(block)
    default:
      return typeof block.type === 'string'
  }
}

/** Checks the shape of a tool result. Its blocks may have unknown types. */
export function isResult(value: unknown): value is ToolResultBlock {
  if (!isRecord(value) || value.type !== 'tool_result' || typeof value.tool_use_id !== 'string') return false
  const { content } = value
  return typeof content === 'string' || (Array.isArray(content) && content.every(isBlock))
}
