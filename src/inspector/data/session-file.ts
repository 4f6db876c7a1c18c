import { closeSync } from 'node:fs'
import type { ModelUsage } from '../../contract/model/model.js'
import { openTranscriptFile } from '../../session/transcript/read/read-session.js'
import { isUsage } from '../../session/transcript/read/transcript-index.js'
import { LineReader, type LineRef, parseJson, type ScannedLine } from '../../session/transcript/storage/line-reader.js'
import type { CallTrace } from '../../session/transcript/storage/transcript-entry.js'
import { isRecord } from '../../shared/is-record.js'
import { applyTrace, CallTable } from './call-table.js'
import { RequestTable } from './request-table.js'
import type { AgentRow, CallRow, MessageRow, RequestRow, RewriteRow } from './rows.js'

/** The rows of a session, shared by the files of its agents. Positions never change. */
export class SharedRows {
  readonly agents: AgentRow[] = []
  readonly calls: CallRow[] = []
  readonly requests: RequestRow[] = []
  readonly messages: MessageRow[] = []
  readonly rewrites: RewriteRow[] = []
  /** Where the lines of a row are, by position of the row. */
  readonly callLines: CallLines[] = []
  readonly messageLines: FileLine[] = []
  readonly requestLines: FileLine[] = []
}

export interface FileLine extends LineRef {
  readonly file: SessionFile
}

export interface CallLines {
  readonly start: FileLine
  /** The last message before the call started. Contains its input, unless the line of the start does. */
  readonly message: FileLine | undefined
  end?: FileLine
}

type Fields = Readonly<Record<string, unknown>>

const ENTRY_TYPE = /^\{"type":"([a-z-]+)"/
const MAX_TYPE_BYTES = 64

/** Reads one transcript line by line, from where the last read ended. Long texts are not parsed. */
export class SessionFile {
  readonly path: string
  readonly agent: number
  readonly #rows: SharedRows
  readonly #calls: CallTable
  readonly #requests = new RequestTable()
  /** The lines with the texts of the system prompt and the definitions of tools, by hash. */
  readonly partLines = new Map<string, FileLine>()
  /** The lists of tools that requests refer to. */
  readonly toolEntries: Fields[] = []
  readonly agentIds: string[] = []
  start: Fields | undefined
  title: string | undefined
  endedAt: number | undefined
  lastAt = 0
  #readBytes = 0
  #messageCount = 0
  #lastRequest: number | undefined
  #lastAssistantLine: FileLine | undefined

  constructor(path: string, agent: number, rows: SharedRows) {
    this.path = path
    this.agent = agent
    this.#rows = rows
    this.#calls = new CallTable(rows.calls)
  }

  /** Reads the lines that were added since the last call. Returns whether there were any. */
  async refresh(): Promise<boolean> {
    const descriptor = openTranscriptFile(this.path)
    try {
      const reader = new LineReader(descriptor)
      const before = this.#readBytes
      this.#readBytes = await reader.scanInSlices((scannedLine) => this.#addLine(scannedLine, reader), before)
      return this.#readBytes > before
    } finally {
      closeSync(descriptor)
    }
  }

  /** Parses one line; undefined if it cannot be read. */
  readLine(line: LineRef): unknown {
    const descriptor = openTranscriptFile(this.path)
    try {
      return new LineReader(descriptor).parse(line)
    } finally {
      closeSync(descriptor)
    }
  }

  /** Returns the positions of calls that changed since this was last called. */
  takeChangedCalls(): readonly number[] {
    const changed = [...this.#calls.changed]
    this.#calls.changed.clear()
    return changed
  }

  #addLine(scannedLine: ScannedLine, reader: LineReader): void {
    const type = ENTRY_TYPE.exec(scannedLine.head.toString('latin1', 0, MAX_TYPE_BYTES))?.[1]
    if (type === undefined || !Object.hasOwn(LONG_FIELDS, type)) return
    const entry = parseHead(scannedLine, LONG_FIELDS[type] ?? [], reader)
    if (entry === undefined) return
    const { at } = entry
    if (typeof at !== 'number' || !Number.isFinite(at)) return
    this.lastAt = Math.max(this.lastAt, at)
    this.#addEntry(type, { ...entry, at }, scannedLine.line)
  }

  readonly #handlers: Readonly<Record<string, (entry: Entry, line: FileLine) => void>> = {
    'call-started': (entry, line) => this.#startCall(entry, line),
    'nested-call-started': (entry, line) => this.#startCall(entry, line),
    'call-asked': (entry) =>
      this.#updateCall(entry, (row) => {
        row.askedAt = entry.at
      }),
    'call-allowed': (entry) =>
      this.#updateCall(entry, (row) => {
        row.answeredAt = entry.at
      }),
    'call-ended': (entry, line) => this.#endCall(entry, line),
    'nested-call-ended': (entry, line) => this.#endCall(entry, line),
    'message-added': (entry, line) => this.#addMessage(entry, line),
    'messages-rewritten': (entry) => this.#addRewrite(entry),
    'request-tools': (entry) => {
      this.toolEntries.push(entry)
      this.#requests.addTools(entry)
    },
    'request-sent': (entry, line) => this.#addRequest(entry, line),
    'request-part': ({ hash }, line) => {
      if (typeof hash === 'string') this.partLines.set(hash, line)
    },
  }

  #addEntry(type: string, entry: Entry, lineRef: LineRef): void {
    const handle = this.#handlers[type]
    if (handle === undefined) this.#addFact(type, entry)
    else handle(entry, { ...lineRef, file: this })
  }

  #addFact(type: string, entry: Entry): void {
    if (type === 'session-started') this.start ??= entry
    else if (type === 'title' && typeof entry.title === 'string') this.title = entry.title
    else if (type === 'agent-started' && typeof entry.agentId === 'string') this.agentIds.push(entry.agentId)
    else if (type === 'session-ended') this.endedAt = entry.at
    else if (type === 'session-resumed') this.endedAt = undefined
  }

  #startCall({ toolUseId, parentToolUseId, toolName, queuedAt, summary, at }: Entry, line: FileLine): void {
    if (typeof toolUseId !== 'string') return
    const parent = typeof parentToolUseId === 'string' ? this.#calls.positionOf(parentToolUseId) : undefined
    const row = this.#calls.findOrAdd({
      id: toolUseId,
      agent: this.agent,
      ...(parent !== undefined && { parent }),
      ...(this.#lastRequest !== undefined && { request: this.#lastRequest }),
      tool: typeof toolName === 'string' ? toolName : '',
      ...(typeof summary === 'string' && { summary }),
      queuedAt: typeof queuedAt === 'number' ? queuedAt : at,
    })
    row.startedAt = at
    const position = this.#calls.positionOf(toolUseId)
    if (position !== undefined) this.#rows.callLines[position] = { start: line, message: this.#lastAssistantLine }
  }

  #updateCall({ toolUseId }: Entry, update: (row: CallRow) => void): void {
    const row = typeof toolUseId === 'string' ? this.#calls.find(toolUseId) : undefined
    if (row !== undefined) update(row)
  }

  #endCall(entry: Entry, line: FileLine): void {
    const { toolUseId, at, errorCode, trace, headBytes } = entry
    // A call that never started, for example because it was cancelled in the queue.
    if (typeof toolUseId === 'string' && this.#isOver(toolUseId)) this.#startCall(entry, line)
    this.#updateCall(entry, (row) => {
      if (isTrace(trace)) applyTrace(row, trace)
      row.endedAt = at
      row.resultBytes = line.length - (typeof headBytes === 'number' ? headBytes : 0)
      if (typeof errorCode === 'string') row.errorCode = errorCode
      if (row.askedAt !== undefined && row.answeredAt === undefined) row.answeredAt = at
    })
    const position = typeof toolUseId === 'string' ? this.#calls.positionOf(toolUseId) : undefined
    const lines = position === undefined ? undefined : this.#rows.callLines[position]
    if (lines !== undefined) lines.end = line
  }

  #isOver(toolUseId: string): boolean {
    const row = this.#calls.find(toolUseId)
    return row === undefined || row.endedAt !== undefined
  }

  #addMessage({ from, at, facts, count }: Entry, line: FileLine): void {
    const isAnswer = from === 'assistant'
    if (typeof count === 'number') this.#messageCount = count
    const request = isAnswer ? this.#lastRequest : undefined
    this.#rows.messages.push({
      ...{ agent: this.agent, at, from: String(from) },
      ...(request !== undefined && { request }),
    })
    this.#rows.messageLines.push(line)
    if (!isAnswer) return
    this.#lastAssistantLine = line
    const row = request === undefined ? undefined : this.#rows.requests[request]
    if (row === undefined || row.answeredAt !== undefined) return
    row.answeredAt = at
    const usage = isRecord(facts) ? facts.usage : undefined
    if (isUsage(usage)) row.usage = usage satisfies ModelUsage
  }

  #addRewrite({ at, cause, count }: Entry): void {
    const messagesBefore = this.#messageCount
    this.#messageCount = typeof count === 'number' ? count : 0
    const counts = { messagesBefore, messagesAfter: this.#messageCount }
    this.#rows.rewrites.push({ agent: this.agent, at, cause: String(cause), ...counts })
  }

  #addRequest(entry: Entry, line: FileLine): void {
    const row = this.#requests.add(entry, this.agent)
    if (row === undefined) return
    this.#lastRequest = this.#rows.requests.length
    this.#rows.requests.push(row)
    this.#rows.requestLines.push(line)
  }
}

type Entry = Fields & { readonly at: number }

/** The fields after which a line is not parsed, by type of the entry. Entries of other types are skipped. */
const LONG_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'session-started': [],
  'session-ended': [],
  'session-resumed': [],
  title: [],
  'agent-started': [],
  'call-started': [',"input":'],
  'nested-call-started': [',"input":'],
  'call-asked': [],
  'call-allowed': [],
  // The last field first: the other is then searched only before it.
  'call-ended': [',"result":', ',"shown":'],
  'nested-call-ended': [',"result":'],
  'message-added': [',"message":'],
  'messages-rewritten': [',"parts":'],
  'request-part': [',"value":'],
  'request-tools': [],
  'request-sent': [],
}

/** Parses the fields before the first long one. A key with its quotes cannot occur inside a JSON string. */
function parseHead({ head, line }: ScannedLine, longFields: readonly string[], reader: LineReader): Fields | undefined {
  let end = head.length
  for (const field of longFields) {
    const found = head.subarray(0, end).indexOf(field)
    if (found !== -1) end = found
  }
  if (end < head.length) {
    const entry = parseJson(`${head.toString('utf8', 0, end)}}`)
    return isRecord(entry) ? { ...entry, headBytes: end } : undefined
  }
  const entry = head.length === line.length ? parseJson(head.toString('utf8')) : reader.parse(line)
  return isRecord(entry) ? entry : undefined
}

function isTrace(value: unknown): value is CallTrace {
  if (!isRecord(value) || typeof value.queuedAt !== 'number') return false
  return [value.decisions, value.hooks, value.steps].every((list) => list === undefined || Array.isArray(list))
}
