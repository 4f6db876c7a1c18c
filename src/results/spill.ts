import {
  COMMAND_PREVIEW_CHARS,
  COMMAND_PREVIEW_HEAD_CHARS,
  COMMAND_PREVIEW_TAIL_CHARS,
  MAX_SPILL_BYTES,
  MAX_TOOL_RESULT_BYTES,
} from '../contract/limits.js'
import { BoundedWriter } from './bounded-writer.js'
import { createPreview, describeFailure, formatCount, joinPreview, takeHead, takeTail } from './preview.js'
import { openResultFile, type ResultFile } from './result-file.js'

interface SpillOptions {
  readonly directory: string
  /** The id of the call, from which the file name is derived. */
  readonly id: string
  /** Output up to this many bytes stays in memory. */
  readonly memoryBytes?: number
  /** Maximum number of bytes kept. A spill that receives more is full: see `isFull`. */
  readonly maxBytes?: number
  /** Shared by all spills of a session, to limit what they store together. */
  readonly budget?: SpillBudget
  readonly openFile?: (directory: string, id: string) => ResultFile
}

/** The bytes that all spills of a session may still store. */
interface SpillBudget {
  bytesLeft: number
}

interface SpilledOutput {
  /** The whole text if all of it stayed in memory; otherwise a notice, followed by the kept text or a preview. */
  readonly text: string
  /** The file with the kept bytes; left out if the output stayed in memory or nothing could be written. */
  readonly path?: string
  readonly receivedBytes: number
  readonly keptBytes: number
  /** Whether output was lost, because it exceeded the maximum or could not be stored. */
  readonly isCut: boolean
}

/** Collects output of any length in bounded memory: small output stays in memory, long output goes to disk. */
export class Spill {
  readonly #options: SpillOptions
  readonly #maxBytes: number
  readonly #window = new ByteWindow()
  #inMemory = new ByteCollector()
  #acceptedBytes = 0
  #receivedBytes = 0
  #file: { readonly path: string; readonly writer: BoundedWriter } | { readonly problem: string } | undefined
  #output: Promise<SpilledOutput> | undefined

  constructor(options: SpillOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? MAX_SPILL_BYTES
  }

  /** True once the maximum is exceeded. The program that produces the output should then be stopped. */
  get isFull(): boolean {
    return this.#receivedBytes > this.#acceptedBytes
  }

  /** The file with the output so far; undefined while it is in memory, or if no file could be created. */
  get path(): string | undefined {
    return this.#file !== undefined && 'path' in this.#file ? this.#file.path : undefined
  }

  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Adds a chunk. Resolves when the next chunk can be added without waiting for the disk. Never rejects. */
  write(chunk: Uint8Array): Promise<void> {
    // A child process that still holds the pipe may write after the result was returned.
    if (this.#output !== undefined) return Promise.resolve()
    this.#receivedBytes += chunk.length
    const { budget } = this.#options
    const freeBytes = Math.min(this.#maxBytes - this.#acceptedBytes, budget?.bytesLeft ?? this.#maxBytes)
    const acceptedBytes = chunk.subarray(0, Math.max(0, freeBytes))
    if (acceptedBytes.length === 0) return Promise.resolve()
    this.#acceptedBytes += acceptedBytes.length
    if (budget !== undefined) budget.bytesLeft -= acceptedBytes.length
    this.#window.push(acceptedBytes)
    return this.#keep(acceptedBytes)
  }

  /** Ends the output and returns the result. Never rejects. Repeated calls return the same result. */
  finish(): Promise<SpilledOutput> {
    this.#output ??= this.#finish()
    return this.#output
  }

  #keep(chunk: Uint8Array): Promise<void> {
    if (this.#file === undefined && this.#acceptedBytes > (this.#options.memoryBytes ?? MAX_TOOL_RESULT_BYTES)) {
      this.#moveToFile()
    }
    if (this.#file === undefined) this.#inMemory.push(chunk)
    else if ('writer' in this.#file) return this.#file.writer.append(chunk)
    return Promise.resolve()
  }

  #moveToFile(): void {
    const { openFile = openResultFile, directory, id } = this.#options
    try {
      const file = openFile(directory, id)
      const writer = new BoundedWriter(file)
      void writer.append(this.#inMemory.bytes)
      this.#file = { path: file.path, writer }
    } catch (error) {
      this.#file = { problem: describeFailure(error) }
    }
    this.#inMemory = new ByteCollector()
  }

  async #finish(): Promise<SpilledOutput> {
    const receivedField = { receivedBytes: this.#receivedBytes }
    const { budget } = this.#options
    const isBudgetSpent = budget !== undefined && budget.bytesLeft <= 0
    if (this.#file === undefined) {
      // Only output on disk counts for the session.
      if (budget !== undefined) budget.bytesLeft += this.#acceptedBytes
      const { bytes } = this.#inMemory
      const isCut = this.isFull
      const text = decode(bytes, isCut)
      const notice = isCut ? `${formatSpillNotice({ ...receivedField, keptBytes: bytes.length, isBudgetSpent })}\n` : ''
      return { ...receivedField, text: notice + text, keptBytes: bytes.length, isCut }
    }
    const storedOutput = await closeFile(this.#file)
    const text = `${formatSpillNotice({ ...receivedField, ...storedOutput, isBudgetSpent })}\n${this.#window.preview(this.isFull)}`
    const { path, keptBytes } = storedOutput
    return {
      ...receivedField,
      ...(path !== undefined && { path }),
      text,
      keptBytes,
      isCut: receivedField.receivedBytes > keptBytes,
    }
  }
}

interface StoredOutput {
  readonly path?: string
  readonly keptBytes: number
  readonly problem?: string
}

async function closeFile(file: { path: string; writer: BoundedWriter } | { problem: string }): Promise<StoredOutput> {
  if ('problem' in file) return { keptBytes: 0, problem: file.problem }
  const { writtenBytes, error } = await file.writer.close()
  const problem = error === undefined ? {} : { problem: describeFailure(error) }
  return { ...(writtenBytes > 0 && { path: file.path }), keptBytes: writtenBytes, ...problem }
}

interface SpillFacts {
  readonly receivedBytes: number
  readonly keptBytes: number
  readonly path?: string
  /** Why the output could not be stored. */
  readonly problem?: string
  /** Whether the limit for all commands of the session is reached. */
  readonly isBudgetSpent?: boolean
}

/** Returns the line above the preview: size, path, and whether output was lost. */
function formatSpillNotice(facts: SpillFacts): string {
  return `[Long output: ${formatCount(facts.receivedBytes)} bytes; ${describeKept(facts)}${formatAdvice(facts)}]`
}

function describeKept({ receivedBytes, keptBytes, path, problem, isBudgetSpent = false }: SpillFacts): string {
  if (path === undefined && problem !== undefined) {
    return `its start and end are below, the rest could not be stored (${problem}).`
  }
  const location = path === undefined ? 'below' : `in ${path}`
  if (receivedBytes === keptBytes && problem === undefined)
    return `its start and end are below, the whole output is ${location}.`
  const limit = isBudgetSpent ? 'limit for all commands of this session' : 'limit'
  const reason = problem === undefined ? `the rest exceeded the ${limit}` : `the rest could not be stored (${problem})`
  return `the first ${formatCount(keptBytes)} bytes are ${location}, ${reason}.`
}

function formatAdvice({ path }: SpillFacts): string {
  return path === undefined ? '' : ' Read a range of that file, or search it with Grep.'
}

const INITIAL_CAPACITY = 4 * 1024

/** Collects bytes in one buffer: a list of tiny chunks would take a hundred times their size. */
class ByteCollector {
  #buffer = Buffer.alloc(0)
  #length = 0

  push(chunk: Uint8Array): void {
    const neededBytes = this.#length + chunk.length
    if (neededBytes > this.#buffer.length) this.#grow(neededBytes)
    this.#buffer.set(chunk, this.#length)
    this.#length = neededBytes
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(neededBytes: number): void {
    const largerBuffer = Buffer.alloc(Math.max(neededBytes, this.#buffer.length * 2, INITIAL_CAPACITY))
    this.bytes.copy(largerBuffer)
    this.#buffer = largerBuffer
  }
}

const MAX_BYTES_PER_CHAR = 4

/** More than a preview shows, so that the cut can look ahead and a split character at the edge is never shown. */
const MAX_HEAD_BYTES = (COMMAND_PREVIEW_HEAD_CHARS + 2) * MAX_BYTES_PER_CHAR
const TAIL_BYTES = (COMMAND_PREVIEW_TAIL_CHARS + 2) * MAX_BYTES_PER_CHAR

/** Keeps the first and last bytes of a stream of any length. */
export class ByteWindow {
  readonly #head = Buffer.alloc(MAX_HEAD_BYTES)
  #headLength = 0
  /** Twice the needed size, so that adding a small chunk rarely moves the kept bytes. */
  readonly #tail = Buffer.alloc(TAIL_BYTES * 2)
  #tailLength = 0
  #totalBytes = 0

  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length
    const headPart = chunk.subarray(0, MAX_HEAD_BYTES - this.#headLength)
    this.#head.set(headPart, this.#headLength)
    this.#headLength += headPart.length
    this.#pushTail(chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk)
  }

  /**
   * Returns the preview of the whole text, except that the size of a long gap is not stated. `isCut` means that the stream
   * continued, perhaps within a character.
   */
  preview(isCut: boolean): string {
    const tail = this.#tail.subarray(Math.max(0, this.#tailLength - TAIL_BYTES), this.#tailLength)
    const gapBytes = this.#totalBytes - this.#headLength - tail.length
    const head = this.#head.subarray(0, this.#headLength)
    if (gapBytes <= 0)
      return createPreview(decode(Buffer.concat([head, tail.subarray(-gapBytes)]), isCut), COMMAND_PREVIEW_CHARS)
    return joinPreview(
      takeHead(decode(head, true), COMMAND_PREVIEW_HEAD_CHARS),
      takeTail(decode(tail, isCut), COMMAND_PREVIEW_TAIL_CHARS),
      'middle omitted',
    )
  }

  #pushTail(chunk: Uint8Array): void {
    if (this.#tailLength + chunk.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailLength - TAIL_BYTES, this.#tailLength)
      this.#tailLength = TAIL_BYTES
    }
    this.#tail.set(chunk, this.#tailLength)
    this.#tailLength += chunk.length
  }
}

/** Decodes bytes. Invalid UTF-8 becomes U+FFFD. If `isCut`, an incomplete character at the end is dropped instead. */
function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })
}
