import type { Message, ToolResultBlock } from '../../contract/messages.js'
import { addUsage, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { isRecord } from '../../shared/is-record.js'
import { type LineReader, type LineRef, parseJson, type SeenLine } from './line-reader.js'
import { applyParts } from './rewrite-parts.js'
import type { SessionStarted } from './transcript-entry.js'

/** Where a message stands: on a line of its own, or the n-th of those that a rewrite brought. */
export interface MessageRef {
  readonly line: LineRef
  readonly nth?: number
  /** Calls belong to the messages between two of the user's, or to the end of a process: some providers count their ids anew in each turn. */
  readonly segment: number
}

/** What is known of a call: the lines that tell of it. */
export interface CallLines {
  readonly id: string
  started?: LineRef
  ended?: LineRef
  isAsked?: boolean
  isAllowed?: boolean
}

const CLOSING_BRACE = 0x7d
const TYPE = /^\{"type":"([a-z-]+)"/
const CALL = /^\{"type":"call-[a-z]+","toolUseId":"([^"\\]*)"/
const MESSAGE =
  /^\{"type":"message-added","from":"([a-z]+)","count":(\d+)(?:,"spoken":\d+)?,"at":(\d+),(?:("facts":)|"message":)/
const LONGEST_TYPE = 64
const MESSAGE_HEAD = 128
/** Ids are short; one that is not is found by parsing the line. */
const CALL_HEAD = 300

/** What a transcript holds, by where it stands: messages that were rewritten later are never parsed. */
export class TranscriptIndex {
  readonly #reader: LineReader
  start: SessionStarted | undefined
  messages: (MessageRef | undefined)[] = []
  /** By segment. */
  readonly #calls = new Map<number, Map<string, CallLines>>()
  /** Segments in which lines were given up, so that what is not told may have happened. */
  readonly #uncertain = new Set<number>()
  segment = 0
  readonly state = new Map<string, unknown>()
  readonly readFiles = new Map<string, ReadFileEntry>()
  readonly agents = new Set<string>()
  title: string | undefined
  model: string | undefined
  usage: ModelUsage = NO_USAGE
  lastAt = 0
  /** Lines of which nothing is known, but for the one that a killed process was writing. */
  unreadable = 0
  #isAfterUnreadable = false
  /** The last line says that the session ended in order. */
  hasEnded = false

  constructor(reader: LineReader) {
    this.#reader = reader
    reader.scan((seen) => this.#take(seen))
  }

  callIn(segment: number, id: string): CallLines | undefined {
    return this.#calls.get(segment)?.get(id)
  }

  isUncertain(segment: number): boolean {
    return this.#uncertain.has(segment)
  }

  /** In the order in which they started. */
  callsOf(segment: number): readonly CallLines[] {
    return [...(this.#calls.get(segment)?.values() ?? [])]
  }

  #take(seen: SeenLine): void {
    // Every entry is an object; a line that was torn seldom looks like one.
    const isWhole = seen.lastByte === CLOSING_BRACE && (!seen.isOpen || this.#parse(seen) !== undefined)
    const isAfterUnreadable = this.#isAfterUnreadable
    this.#isAfterUnreadable = false
    if (!isWhole) {
      if (!seen.isOpen) this.#lose()
      return
    }
    const type = TYPE.exec(seen.head.toString('latin1', 0, LONGEST_TYPE))?.[1]
    this.hasEnded = false
    // What a kill or a full disk has torn was told of by whoever went on after it.
    if (isAfterUnreadable && (type === 'session-resumed' || type === 'lines-lost')) this.unreadable--
    if (type === 'message-added') this.#takeMessage(seen)
    else if (type?.startsWith('call-') === true) this.#takeCall(type, seen)
    else this.#takeParsed(seen)
  }

  #lose(): void {
    this.unreadable++
    this.#isAfterUnreadable = true
  }

  #takeMessage(seen: SeenLine): void {
    const [, from, count, at, facts] = MESSAGE.exec(seen.head.toString('latin1', 0, MESSAGE_HEAD)) ?? []
    if (from === undefined) {
      this.#takeOddMessage(seen)
      return
    }
    this.#note(Number(at))
    if (facts !== undefined) this.#takeFacts(this.#parseBefore(',"message":', seen)?.facts)
    this.#addMessage(from, Number(count), seen.line)
  }

  /** Written by another hand: the fields stand in another order. */
  #takeOddMessage(seen: SeenLine): void {
    const entry = this.#parse(seen)
    if (!isRecord(entry)) {
      this.#lose()
      return
    }
    this.#note(entry.at)
    this.#takeFacts(entry.facts)
    this.#addMessage(entry.from, entry.count, seen.line)
  }

  #addMessage(from: unknown, count: unknown, line: LineRef): void {
    this.#makeRoom(count)
    this.messages.push({ line, segment: this.segment })
    if (from === 'user') this.segment++
  }

  /** Lines that are missing leave holes; a line that was torn and then written again counts once. */
  #makeRoom(count: unknown): void {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1) return
    const known = this.messages.length
    if (count <= known && this.#isTorn(this.messages[count - 1])) this.messages.length = count - 1
    else if (count > known + 1 && count - known < MOST_HOLES) {
      for (let missing = known + 1; missing < count; missing++) this.messages.push(undefined)
    }
  }

  #isTorn(ref: MessageRef | undefined): boolean {
    return ref === undefined || this.#reader.parse(ref.line) === undefined
  }

  #takeCall(type: string, seen: SeenLine): void {
    const id = CALL.exec(seen.head.toString('utf8', 0, CALL_HEAD))?.[1] ?? idOf(this.#parse(seen))
    if (id === undefined) return
    const calls = this.#calls.get(this.segment) ?? new Map<string, CallLines>()
    this.#calls.set(this.segment, calls)
    if (type === 'call-started') {
      // The order of the map is the order of the calls.
      calls.delete(id)
      calls.set(id, { id, started: seen.line })
      return
    }
    const call = calls.get(id) ?? { id }
    if (type === 'call-ended') call.ended = seen.line
    else if (type === 'call-asked') call.isAsked = true
    else if (type === 'call-allowed') call.isAllowed = true
    calls.set(id, call)
  }

  #takeParsed(seen: SeenLine): void {
    const entry = this.#parse(seen)
    if (!isRecord(entry)) {
      this.#lose()
      return
    }
    this.#note(entry.at)
    const { type } = entry
    if (type === 'session-started') this.start ??= startOf(entry)
    else if (type === 'messages-rewritten') this.#takeRewrite(entry, seen.line)
    else if (type === 'read-files') this.#takeFiles(entry)
    else if (type === 'state' && typeof entry.key === 'string') this.#takeState(entry.key, entry.value)
    else if (type === 'title' && typeof entry.title === 'string') this.title = entry.title
    else if (type === 'agent-started' && typeof entry.agentId === 'string') this.agents.add(entry.agentId)
    else if (type === 'lines-lost') this.#uncertain.add(this.segment)
    else if (type === 'session-resumed') this.segment++
    else if (type === 'session-ended') this.hasEnded = true
  }

  #takeRewrite({ parts, messages }: Record<string, unknown>, line: LineRef): void {
    if (!Array.isArray(parts) || !Array.isArray(messages)) return
    const { segment } = this
    const total = parts.reduce<number>((sum, part) => sum + sizeOf(part), 0)
    // A range may name any number.
    if (total > this.messages.length + messages.length + MOST_HOLES) return
    this.messages = applyParts(this.messages, parts, (nth): MessageRef => ({ line, nth, segment }))
  }

  #takeFacts(facts: unknown): void {
    if (!isRecord(facts)) return
    const { model, usage } = facts
    if (typeof model === 'string') this.model = model
    if (isUsage(usage)) this.usage = addUsage(this.usage, usage)
  }

  #takeState(key: string, value: unknown): void {
    if (value === undefined) this.state.delete(key)
    else this.state.set(key, value)
  }

  #takeFiles({ gone, changed }: Record<string, unknown>): void {
    for (const path of Array.isArray(gone) ? gone : []) this.readFiles.delete(path)
    for (const item of Array.isArray(changed) ? changed : []) {
      const [path, entry]: unknown[] = Array.isArray(item) ? item : []
      if (typeof path !== 'string' || !isReadFileEntry(entry)) continue
      this.readFiles.delete(path)
      this.readFiles.set(path, entry)
    }
  }

  #note(at: unknown): void {
    if (typeof at === 'number' && at > this.lastAt) this.lastAt = at
  }

  #parse({ head, line }: SeenLine): unknown {
    return head.length === line.length ? parseJson(head.toString('utf8')) : this.#reader.parse(line)
  }

  /** What stands before the long part of a line. */
  #parseBefore(mark: string, seen: SeenLine): Record<string, unknown> | undefined {
    const at = seen.head.indexOf(mark)
    const entry = at === -1 ? this.#parse(seen) : parseJson(`${seen.head.toString('utf8', 0, at)}}`)
    return isRecord(entry) ? entry : undefined
  }
}

/** Far more lines than a disk that fails now and then can have lost. */
const MOST_HOLES = 100_000

/** Never below nothing: a part that takes away would make room for one without end. */
function sizeOf(part: unknown): number {
  if (typeof part === 'number') return Math.max(0, part)
  const isRange = Array.isArray(part) && typeof part[0] === 'number' && typeof part[1] === 'number'
  return isRange ? Math.max(0, part[1] - part[0]) : 0
}

function idOf(entry: unknown): string | undefined {
  return isRecord(entry) && typeof entry.toolUseId === 'string' ? entry.toolUseId : undefined
}

function startOf(entry: Record<string, unknown>): SessionStarted | undefined {
  const { version, id, cwd, projectRoot } = entry
  const isWhole = typeof version === 'number' && [id, cwd, projectRoot].every((text) => typeof text === 'string')
  return isWhole ? (entry as unknown as SessionStarted) : undefined
}

function isUsage(usage: unknown): usage is ModelUsage {
  if (!isRecord(usage)) return false
  return ['input', 'output', 'cacheRead', 'cacheWrite'].every((name) => Number.isFinite(usage[name]))
}

function isReadFileEntry(entry: unknown): entry is ReadFileEntry {
  return isRecord(entry) && typeof entry.contentHash === 'string' && typeof entry.mtimeMs === 'number'
}

/** Whether a value of a line is a message that a session can go on with. */
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

/** Whether a value of a line is a result that can be sent. */
export function isResult(value: unknown): value is ToolResultBlock {
  if (!isRecord(value) || value.type !== 'tool_result' || typeof value.tool_use_id !== 'string') return false
  const { content } = value
  return typeof content === 'string' || (Array.isArray(content) && content.every(isBlock))
}
