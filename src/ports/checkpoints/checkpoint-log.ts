import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { type EntryStates, entryStateSchema } from './entry-state.js'

const statesSchema = z.record(z.string(), entryStateSchema)

const lineSchema = z.union([
  z.object({
    type: z.literal('saved'),
    id: z.string(),
    at: z.number(),
    session: z.string(),
    toolUseId: z.string().optional(),
    /** More may have been changed than is listed. */
    unknown: z.boolean(),
    before: statesSchema,
    /** What a rewind was to bring back, and to which checkpoint. */
    goal: statesSchema.optional(),
    rewindTo: z.string().optional(),
  }),
  z.object({ type: z.literal('settled'), id: z.string(), before: statesSchema, after: statesSchema }),
])
export type LogLine = z.infer<typeof lineSchema>

/** A call, what it was about to change, and what it left; the latter is missing where nobody was left to look. */
export interface CheckpointRecord {
  readonly id: string
  readonly at: number
  readonly session: string
  readonly toolUseId?: string | undefined
  readonly unknown: boolean
  readonly before: EntryStates
  readonly after?: EntryStates
  readonly goal?: EntryStates | undefined
  readonly rewindTo?: string | undefined
}

/** The checkpoints of one project, in order: lines in a file to which several processes may add. */
export class CheckpointLog {
  readonly #file: string
  #descriptor: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  add(line: LogLine): void {
    this.#descriptor ??= this.#open()
    // In one piece, so that the lines of others stay whole. A line that was cut off by a kill ends before it.
    writeSync(this.#descriptor, `\n${JSON.stringify(line)}\n`)
  }

  async read(): Promise<readonly CheckpointRecord[]> {
    const records = new Map<string, CheckpointRecord>()
    for await (const line of this.#lines()) {
      if (line.type === 'saved') {
        const { type: _, ...record } = line
        records.set(line.id, record)
        continue
      }
      const saved = records.get(line.id)
      if (saved === undefined) continue
      records.set(line.id, { ...saved, before: { ...saved.before, ...line.before }, after: line.after })
    }
    return [...records.values()]
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #open(): number {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    return openSync(this.#file, 'a', 0o600)
  }

  async *#lines(): AsyncGenerator<LogLine> {
    try {
      const input = createReadStream(this.#file, 'utf8')
      for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        const line = text === '' ? undefined : parseLine(text)
        if (line !== undefined) yield line
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Undefined for what was cut off by a kill. */
function parseLine(text: string): LogLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
