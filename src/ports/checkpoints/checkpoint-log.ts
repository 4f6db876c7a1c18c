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
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { makeFolder } from '../../system/make-folder.js'
import { prepareReplacement } from '../../system/write-file-atomically.js'
import { hasCode } from '../files/file-failure.js'
import { type EntryStates, entryStateSchema } from './entry-state.js'

const statesSchema = z.record(z.string(), entryStateSchema)

const lineSchema = z.union([
  z.object({
    type: z.literal('saved'),
    id: z.string(),
    at: z.number(),
    session: z.string(),
    toolUseId: z.string().optional(),
    /** The process that makes the call. */
    owner: z.string().optional(),
    title: z.string().optional(),
    /** More may have been changed than is listed. */
    unknown: z.boolean(),
    before: statesSchema,
    /** What a rewind was to bring back, and to which checkpoint. */
    goal: statesSchema.optional(),
    rewindTo: z.string().optional(),
  }),
  z.object({
    type: z.literal('settled'),
    id: z.string(),
    before: statesSchema,
    after: statesSchema,
    /** Something of the call's work still ran. */
    leavesRest: z.boolean().optional(),
  }),
])
export type LogLine = z.infer<typeof lineSchema>

/** A call, what it was about to change, and what it left; the latter is missing where nobody was left to look. */
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
  /** Where in the log it stands that the call began, and that it ended: others may have begun or ended between. */
  readonly beganAt: number
  readonly endedAt?: number
  readonly goal?: EntryStates | undefined
  readonly rewindTo?: string | undefined
}

/** The checkpoints of one project, in order: lines in a file to which several processes may add. */
export class CheckpointLog {
  readonly #file: string
  #open: { readonly descriptor: number; readonly inode: number } | undefined

  constructor(file: string) {
    this.#file = file
  }

  add(line: LogLine): void {
    const text = Buffer.from(`\n${onOneLine(line)}\n`)
    do {
      this.#open ??= openLog(this.#file)
      // In one piece, so that the lines of others stay whole. A line that was cut off by a kill ends before it.
      // On a disk that is full but for a part of it, the rest fails: a call that is not in the log must not be made.
      for (let at = 0; at < text.length; ) at += writeSync(this.#open.descriptor, text, at)
    } while (this.#wasReplaced(this.#open.inode))
  }

  async read(): Promise<readonly CheckpointRecord[]> {
    const records = new Map<string, CheckpointRecord>()
    let at = 0
    for await (const text of linesOf(this.#file)) {
      const line = parseLine(text)
      if (line !== undefined) take(line, at++, records)
    }
    return [...records.values()]
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor)
    this.#open = undefined
  }

  /** Asked after a line was written: another process may have shortened the log, and not have seen the line in the old one. */
  #wasReplaced(inode: number): boolean {
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.ino === inode) return false
    this.close()
    return true
  }
}

/** Names may hold characters that some readers of lines take for the end of one. */
function onOneLine(line: LogLine): string {
  return JSON.stringify(line).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)
}

/** A line that is there twice is taken once. */
function take(line: LogLine, at: number, records: Map<string, CheckpointRecord>): void {
  const saved = records.get(line.id)
  if (line.type === 'saved') {
    const { type: _, ...record } = line
    if (saved === undefined) records.set(line.id, { ...record, beganAt: at })
    return
  }
  if (saved === undefined || saved.after !== undefined) return
  records.set(line.id, {
    ...saved,
    unknown: saved.unknown || line.leavesRest === true,
    before: { ...saved.before, ...line.before },
    after: line.after,
    endedAt: at,
  })
}

function openLog(file: string) {
  makeFolder(dirname(file))
  const descriptor = openSync(file, 'a', 0o600)
  return { descriptor, inode: fstatSync(descriptor).ino }
}

/** Up to a byte, where one is given; nothing where there is no log. */
export async function* linesOf(file: string, until = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  if (until === 0) return
  try {
    const input = createReadStream(file, { encoding: 'utf8', end: until - 1 })
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (text !== '') yield text
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Undefined for what was cut off by a kill. */
export function parseLine(text: string): LogLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const CHUNK_BYTES = 64 * 1024

/**
 * Puts a log in place that has only some of its checkpoints; one that would be empty goes. Whoever adds a line sees
 * afterwards whether that was the old log, and adds it to the new one; what was added before that is carried over.
 */
export async function shortenLog(file: string, isKept: (id: string) => boolean): Promise<void> {
  const old = openSync(file, 'r')
  try {
    const end = endOfLines(old)
    const lines = keptLines(file, end, isKept)
    const first = await lines.next()
    const replace = first.done
      ? () => unlinkSync(file)
      : await prepareReplacement(file, startingWith(first.value, lines), { mode: 0o600 })
    // Nothing may be added to the new log before the late lines, or the order of lines would change.
    replace()
    const late = readFrom(old, end)
    if (late.length > 0) appendFileSync(file, late, { mode: 0o600 })
  } finally {
    closeSync(old)
  }
}

async function* keptLines(file: string, end: number, isKept: (id: string) => boolean): AsyncGenerator<string, void> {
  for await (const text of linesOf(file, end)) {
    const line = parseLine(text)
    if (line !== undefined && isKept(line.id)) yield `\n${text}\n`
  }
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncIterable<string> {
  yield first
  yield* rest
}

/** Behind the last whole line: one that is just being written belongs to what comes late. */
function endOfLines(log: number): number {
  for (let end = fstatSync(log).size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const chunk = Buffer.alloc(end - start)
    const at = chunk.subarray(0, readSync(log, chunk, 0, chunk.length, start)).lastIndexOf('\n')
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

function readFrom(log: number, start: number): Buffer {
  const late = Buffer.alloc(fstatSync(log).size - start)
  return late.subarray(0, readSync(log, late, 0, late.length, start))
}
