import { createHash } from 'node:crypto'
import { cutText } from '../../shared/cut-text.js'

/** Longer lines are stored once by their hash. */
const MAX_INLINE_BYTES = 64 * 1024

/** One entry of the journal. The transcript of a run consists of lines; the other entries are what a line may refer to. */
export type JournalEntry =
  | { readonly type: 'line'; readonly line: string; readonly agentId: string | undefined }
  /** A file beside the transcript, such as a long result. */
  | { readonly type: 'file'; readonly path: string; readonly hash: string }
  /** How the working folder has changed since the previous such entry. */
  | { readonly type: 'patch'; readonly hash: string }
  /** Commits and branches that the run has made. */
  | { readonly type: 'refs'; readonly hash: string; readonly head: string }
  | { readonly type: 'end'; readonly outcome: unknown }

/** Stores a body, and returns its hash. Storing the same body again changes nothing. */
export type StoreBody = (bytes: Buffer) => Promise<string>
export type LoadBody = (hash: string) => Promise<Buffer>

export function hashBody(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const LINE_BODY = '#'
const AGENT = '@'
const EXTRA = '!'

async function encodeEntry(entry: JournalEntry, storeBody: StoreBody): Promise<string> {
  if (entry.type !== 'line') {
    const { type, ...fields } = entry
    return `${EXTRA}${type} ${JSON.stringify(fields)}`
  }
  const { line, agentId } = entry
  // A character is at most three bytes of UTF-8, so that the length is computed for long lines only.
  const isLong = line.length * 3 > MAX_INLINE_BYTES && Buffer.byteLength(line) > MAX_INLINE_BYTES
  const text = isLong ? LINE_BODY + (await storeBody(Buffer.from(line))) : line
  return agentId === undefined ? text : `${AGENT}${agentId} ${text}`
}

/** Reads the entries of a step. */
export async function decodeStep(text: string, loadBody: LoadBody): Promise<readonly JournalEntry[]> {
  const rows = text.split('\n').filter((row) => row !== '')
  return Promise.all(rows.map((row) => decodeRow(row, loadBody)))
}

async function decodeRow(row: string, loadBody: LoadBody): Promise<JournalEntry> {
  if (row.startsWith(EXTRA)) {
    const space = row.indexOf(' ')
    return { type: row.slice(1, space), ...JSON.parse(row.slice(space + 1)) }
  }
  const space = row.startsWith(AGENT) ? row.indexOf(' ') : -1
  const text = row.slice(space + 1)
  const line = text.startsWith(LINE_BODY) ? (await loadBody(text.slice(1))).toString() : text
  return { type: 'line', line, agentId: space === -1 ? undefined : row.slice(1, space) }
}

export interface RunJournalOptions {
  readonly writeStep: (name: string, text: string) => Promise<void>
  readonly storeBody: StoreBody
  /** Returns further entries that must be stored with these lines, such as new files. */
  readonly collect?: (lines: readonly string[]) => Promise<readonly JournalEntry[]>
}

/**
 * Writes the lines of a transcript as steps of a workflow, in order, one step at a time. Lines that arrive meanwhile form the next step. A tool
 * begins only after `flush`, so nothing happens that the journal does not know of.
 */
export class RunJournal {
  readonly #options: RunJournalOptions
  readonly #failed = new AbortController()
  #pending: JournalEntry[] = []
  #writing: Promise<void> | undefined
  #isClosed = false

  constructor(options: RunJournalOptions) {
    this.#options = options
  }

  /** Aborted when a step could not be written. The run must stop: another worker may have taken it over. */
  get signal(): AbortSignal {
    return this.#failed.signal
  }

  /** Ignores everything that is added from now on. What was added before is still written. */
  close(): void {
    this.#isClosed = true
  }

  add(entry: JournalEntry): void {
    if (this.signal.aborted || this.#isClosed) return
    this.#pending.push(entry)
    this.#writing ??= this.#writeAll()
    // Whoever needs the entry to be stored calls `flush`, and the signal tells everybody else.
    this.#writing.catch(() => undefined)
  }

  /** Resolves when everything that was added before is stored. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    if (this.signal.aborted) throw this.signal.reason
  }

  async #writeAll(): Promise<void> {
    try {
      // Lines of the same moment belong into one step.
      await Promise.resolve()
      while (this.#pending.length > 0) await this.#writeStep(this.#pending.splice(0))
    } catch (error) {
      this.#pending = []
      this.#failed.abort(error)
      throw error
    } finally {
      this.#writing = undefined
    }
  }

  async #writeStep(entries: readonly JournalEntry[]): Promise<void> {
    const { writeStep, storeBody, collect } = this.#options
    const lines = entries.flatMap((entry) => (entry.type === 'line' ? [entry.line] : []))
    const extras = (await collect?.(lines)) ?? []
    const rows = await Promise.all([...extras, ...entries].map((entry) => encodeEntry(entry, storeBody)))
    await writeStep(nameStep(entries), rows.join('\n'))
  }
}

const LINE_TYPE = /^\{"type":"([a-z-]+)"/
const TOOL_NAME = /"toolName":"([^"\\]{1,100})"/
const FROM = /^\{"type":"message-added","from":"([a-z]+)"/
const MAX_NAME_LENGTH = 120

/** Names a step after what it stores, for people who look at the steps. */
function nameStep(entries: readonly JournalEntry[]): string {
  const names = new Set(entries.map(nameEntry).filter((name) => name !== undefined))
  return cutText([...names].join(', '), MAX_NAME_LENGTH) || 'state'
}

function nameEntry(entry: JournalEntry): string | undefined {
  if (entry.type !== 'line') return entry.type
  const head = entry.line.slice(0, 400)
  const type = LINE_TYPE.exec(head)?.[1]
  if (type === 'message-added') return FROM.exec(head)?.[1] === 'assistant' ? 'answer' : undefined
  if (type === 'call-started' || type === 'nested-call-started') return `start ${TOOL_NAME.exec(head)?.[1] ?? 'call'}`
  if (type === 'call-ended' || type === 'nested-call-ended') return 'result'
  return type === 'messages-rewritten' ? 'rewrite' : undefined
}
