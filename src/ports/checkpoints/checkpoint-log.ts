import {
  appendFileSync,
  closeSync,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { type InferOutput, lazySchema } from '../../contract/schema.js'
import { makeFolder } from '../../system/make-folder.js'
import { syncFile, syncFileAt, syncFolderNow } from '../../system/sync-to-disk.js'
import { prepareReplacement } from '../../system/write-file-atomically.js'
import { hasErrorCode } from '../files/file-failure.js'
import { type EntryStates, entryStateSchema } from './entry-state.js'

const lineSchema = lazySchema(() => {
  const statesSchema = z.record(z.string(), entryStateSchema.schema)
  return z.union([
    z.object({
      type: z.literal('saved'),
      id: z.string(),
      at: z.number(),
      session: z.string(),
      toolUseId: z.string().optional(),
      /** Identifies the process that runs the call. */
      owner: z.string().optional(),
      title: z.string().optional(),
      /** Whether the call may have changed more than is listed. */
      unknown: z.boolean(),
      before: statesSchema,
      /** Only for a rewind: the states that it restores and the checkpoint that it restores them from. */
      goal: statesSchema.optional(),
      rewindTo: z.string().optional(),
    }),
    z.object({
      type: z.literal('settled'),
      id: z.string(),
      before: statesSchema,
      after: statesSchema,
      /** Whether processes of the call were still running, so that it may change more. */
      leavesRest: z.boolean().optional(),
    }),
  ])
})
export type LogLine = InferOutput<typeof lineSchema>

/** A call with the states before and after it. The states after it are missing if the process died. */
export interface CheckpointRecord {
  readonly id: string
  readonly at: number
  readonly session: string
  readonly toolUseId?: string | undefined
  readonly owner?: string | undefined
  readonly title?: string | undefined
  readonly unknown: boolean
  readonly before: EntryStates
  readonly after?: EntryStates
  /** The line numbers of the start and the end of the call in the log. Other calls may have started or ended in between. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly goal?: EntryStates | undefined
  readonly rewindTo?: string | undefined
}

/** The checkpoints of one project, in order. They are stored in a file of lines to which several processes append. */
export class CheckpointLog {
  readonly #file: string
  readonly #isDurable: boolean
  #open: { readonly descriptor: number; readonly inode: number } | undefined

  /** Unless the log is durable, a power failure may lose its last lines. */
  constructor(file: string, { isDurable = false }: { readonly isDurable?: boolean } = {}) {
    this.#file = file
    this.#isDurable = isDurable
  }

  add(line: LogLine): void {
    const text = Buffer.from(`\n${serialiseLine(line)}\n`)
    do {
      this.#open ??= openLog(this.#file, this.#isDurable)
      // One write, so that lines of other processes stay intact. The leading newline ends a line that a killed process left
      // incomplete. A nearly full disk may accept only a part of the text. Then the next write fails, and the call does not run, because
      // it is not in the log.
      for (let at = 0; at < text.length; ) at += writeSync(this.#open.descriptor, text, at)
      if (this.#isDurable) syncFile(this.#open.descriptor)
    } while (this.#wasReplaced(this.#open.inode))
  }

  async read(): Promise<readonly CheckpointRecord[]> {
    const records = new Map<string, CheckpointRecord>()
    let lineNumber = 0
    for await (const text of readTextLines(this.#file)) {
      const line = parseLine(text)
      if (line !== undefined) addLine(line, lineNumber++, records)
    }
    return [...records.values()]
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor)
    this.#open = undefined
  }

  /** Whether another process replaced the log while a line was written. The new log may lack that line. */
  #wasReplaced(inode: number): boolean {
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.ino === inode) return false
    this.close()
    return true
  }
}

/** Escapes line separators in file names, which some line readers treat as line breaks. */
function serialiseLine(line: LogLine): string {
  return JSON.stringify(line).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)
}

/** Adds a line to the records. A duplicate line has no effect. */
function addLine(line: LogLine, lineNumber: number, records: Map<string, CheckpointRecord>): void {
  const existingRecord = records.get(line.id)
  if (line.type === 'saved') {
    const { type: _, ...record } = line
    if (existingRecord === undefined) records.set(line.id, { ...record, startedAt: lineNumber })
    return
  }
  if (existingRecord === undefined || existingRecord.after !== undefined) return
  records.set(line.id, {
    ...existingRecord,
    unknown: existingRecord.unknown || line.leavesRest === true,
    before: { ...existingRecord.before, ...line.before },
    after: line.after,
    endedAt: lineNumber,
  })
}

function openLog(file: string, isDurable: boolean) {
  makeFolder(dirname(file), { isDurable })
  const descriptor = openSync(file, 'a', 0o600)
  const { ino, size } = fstatSync(descriptor)
  if (isDurable && size === 0) syncFolderNow(dirname(file))
  return { descriptor, inode: ino }
}

/** Reads the lines before the byte offset `endOffset`; yields nothing if there is no log. */
async function* readTextLines(file: string, endOffset = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  if (endOffset === 0) return
  try {
    const { createInterface } = await import('node:readline')
    const input = createReadStream(file, { encoding: 'utf8', end: endOffset - 1 })
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (text !== '') yield text
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}

/** Parses a line. Returns undefined if it is invalid, such as an incomplete line that a killed process left. */
function parseLine(text: string): LogLine | undefined {
  try {
    return lineSchema.schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const CHUNK_BYTES = 64 * 1024

/**
 * Replaces the log with one that contains only the kept checkpoints, or removes it if none is kept. Lines that are appended
 * before the replacement are copied. A process that appends a line to the old log later notices the replacement and repeats the
 * line.
 */
export async function shortenLog(file: string, isKept: (id: string) => boolean): Promise<void> {
  const oldLog = openSync(file, 'r')
  try {
    const end = findEndOfLines(oldLog)
    const lines = readKeptLines(file, end, isKept)
    const firstResult = await lines.next()
    const replace = firstResult.done
      ? () => unlinkSync(file)
      : await prepareReplacement(file, prependLine(firstResult.value, lines), { mode: 0o600 })
    // There must be no await from here on: a line added to the new log before the late lines would change the order.
    replace()
    const lateLines = readFrom(oldLog, end)
    if (lateLines.length > 0) {
      appendFileSync(file, lateLines, { mode: 0o600 })
      syncFileAt(file)
    }
  } finally {
    closeSync(oldLog)
  }
}

async function* readKeptLines(
  file: string,
  end: number,
  isKept: (id: string) => boolean,
): AsyncGenerator<string, void> {
  for await (const text of readTextLines(file, end)) {
    const line = parseLine(text)
    if (line !== undefined && isKept(line.id)) yield `\n${text}\n`
  }
}

async function* prependLine(firstLine: string, lines: AsyncIterable<string>): AsyncIterable<string> {
  yield firstLine
  yield* lines
}

/** Returns the end of the last complete line. A line that is still being written counts as a late line. */
function findEndOfLines(log: number): number {
  for (let end = fstatSync(log).size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = Buffer.alloc(end - start)
    const lastNewline = chunk.subarray(0, readSync(log, chunk, 0, chunk.length, start)).lastIndexOf('\n')
    if (lastNewline !== -1) return start + lastNewline + 1
    end = start
  }
  return 0
}

function readFrom(log: number, start: number): Buffer {
  const lateLines = Buffer.alloc(fstatSync(log).size - start)
  return lateLines.subarray(0, readSync(log, lateLines, 0, lateLines.length, start))
}
