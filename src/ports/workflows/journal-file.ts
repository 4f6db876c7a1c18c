import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { JournalRecord } from '../../contract/ports/workflows.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { syncFile, syncFolder } from '../../system/sync-to-disk.js'

/** More would take too long to read when the run is resumed. */
const MAX_JOURNAL_BYTES = 64 * 1024 ** 2

export interface JournalFile {
  readonly records: readonly JournalRecord[]
  append(record: JournalRecord): Promise<void>
  close(): Promise<void>
}

interface OpenOptions {
  readonly isDurable: boolean
  readonly isNew: boolean
}

/** Opens a journal for reading and appending. A last line without its end was interrupted, and is removed. */
export async function openJournal(path: string, { isDurable, isNew }: OpenOptions): Promise<JournalFile> {
  const handle = await open(path, isNew ? 'wx+' : 'r+', 0o600)
  try {
    const { records, bytes } = isNew ? { records: [], bytes: 0 } : await readJournal(handle, path)
    if (isNew && isDurable) await syncFolder(dirname(path))
    await handle.truncate(bytes)
    return new AppendedJournal(handle, { records, bytes, isDurable })
  } catch (error) {
    await handle.close()
    throw error
  }
}

class AppendedJournal implements JournalFile {
  readonly records: readonly JournalRecord[]
  readonly #handle: FileHandle
  readonly #isDurable: boolean
  #bytes: number
  #lastWrite: Promise<void> = Promise.resolve()

  constructor(
    handle: FileHandle,
    { records, bytes, isDurable }: { records: readonly JournalRecord[]; bytes: number; isDurable: boolean },
  ) {
    this.#handle = handle
    this.records = records
    this.#bytes = bytes
    this.#isDurable = isDurable
  }

  append(record: JournalRecord): Promise<void> {
    const write = this.#lastWrite.then(() => this.#write(record))
    this.#lastWrite = write.catch(() => undefined)
    return write
  }

  async close(): Promise<void> {
    await this.#lastWrite
    await this.#handle.close()
  }

  async #write(record: JournalRecord): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(record)}\n`)
    if (this.#bytes + line.length > MAX_JOURNAL_BYTES)
      throw new ToolCallError(
        'tool_failed',
        'The journal of the workflow is full. Let steps return less, or write files.',
      )
    try {
      for (let written = 0; written < line.length; ) {
        const { bytesWritten } = await this.#handle.write(line, written, line.length - written, this.#bytes + written)
        written += bytesWritten
      }
      if (this.#isDurable) syncFile(this.#handle.fd)
    } catch (cause) {
      // A line that was written in part must not stay before the next one.
      await this.#handle.truncate(this.#bytes).catch(() => undefined)
      throw new ToolCallError('tool_failed', `The journal cannot be written: ${reasonOf(cause)}.`, { cause })
    }
    this.#bytes += line.length
  }
}

async function readJournal(handle: FileHandle, path: string): Promise<{ records: JournalRecord[]; bytes: number }> {
  const { size } = await handle.stat()
  if (size > MAX_JOURNAL_BYTES) throw createDamagedError(path)
  const content = await handle.readFile()
  const bytes = content.lastIndexOf(10) + 1
  const lines = content.subarray(0, bytes).toString('utf8').split('\n').slice(0, -1)
  const records = lines.map((line) => parseRecord(line))
  if (records[0]?.type !== 'run' || !records.every((record) => record !== undefined)) throw createDamagedError(path)
  return { records, bytes }
}

function createDamagedError(path: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `The journal ${path} is damaged, so the run cannot be resumed. Start a new run.`,
  )
}

function parseRecord(line: string): JournalRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  return isRecord(value) && isJournalRecord(value) ? (value as unknown as JournalRecord) : undefined
}

function isJournalRecord(value: Readonly<Record<string, unknown>>): boolean {
  switch (value.type) {
    case 'run':
      return typeof value.script === 'string' && typeof value.at === 'number' && typeof value.seed === 'number'
    case 'resumed':
      return Array.isArray(value.repeatedSteps)
    case 'started':
      return isStep(value) && typeof value.isReadOnly === 'boolean'
    case 'ended':
      return isStep(value) && isRecord(value.outcome) && isOutcome(value.outcome)
    case 'run-ended':
      return typeof value.hasFailed === 'boolean'
    default:
      return false
  }
}

function isStep({ step, tool, inputHash, summary }: Readonly<Record<string, unknown>>): boolean {
  return Number.isSafeInteger(step) && [tool, inputHash, summary].every((text) => typeof text === 'string')
}

function isOutcome({ type, json, code, message }: Readonly<Record<string, unknown>>): boolean {
  if (type === 'result') return typeof json === 'string'
  return type === 'unknown' || (type === 'failed' && typeof code === 'string' && typeof message === 'string')
}
