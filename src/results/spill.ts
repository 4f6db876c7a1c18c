import { MAX_SPILL_BYTES, MAX_TOOL_RESULT_BYTES } from '../contract/limits.js'
import { BoundedWriter } from './bounded-writer.js'
import { ByteWindow, decode } from './byte-window.js'
import { describeFailure, formatCount } from './preview.js'
import { openResultFile, type ResultFile } from './result-file.js'

interface SpillOptions {
  readonly directory: string
  /** The id of the call; the file is named after it. */
  readonly id: string
  /** Output up to this many bytes stays in memory. */
  readonly memoryBytes?: number
  /** Bytes that are kept; then `isFull`. */
  readonly maxBytes?: number
  readonly openFile?: (directory: string, id: string) => ResultFile
}

interface SpilledOutput {
  /** The whole text where it stayed in memory; else a notice of size and path, and a preview. */
  readonly text: string
  /** The file with the kept bytes; left out where all is in `text`, or where no file could be made. */
  readonly path?: string
  readonly receivedBytes: number
  readonly keptBytes: number
  /** More came than is kept. */
  readonly isCut: boolean
}

/** Takes output of any length while it arrives: in memory while it is small, then on disk, in bounded memory. */
export class Spill {
  readonly #options: SpillOptions
  readonly #maxBytes: number
  readonly #window = new ByteWindow()
  #inMemory = new ByteCollector()
  #acceptedBytes = 0
  #receivedBytes = 0
  #file: { readonly path: string; readonly writer: BoundedWriter } | { readonly problem: string } | undefined
  #finished: Promise<SpilledOutput> | undefined

  constructor(options: SpillOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? MAX_SPILL_BYTES
  }

  /** More came than may be kept: whoever writes should stop. */
  get isFull(): boolean {
    return this.#receivedBytes > this.#maxBytes
  }

  /** The file with everything so far; none while all is in memory. */
  get path(): string | undefined {
    return this.#file !== undefined && 'path' in this.#file ? this.#file.path : undefined
  }

  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Takes a chunk, and resolves when there is room for the next. Never rejects. */
  write(chunk: Uint8Array): Promise<void> {
    // A child that still holds the pipe may write when the answer is given already.
    if (this.#finished !== undefined) return Promise.resolve()
    this.#receivedBytes += chunk.length
    const accepted = chunk.subarray(0, this.#maxBytes - this.#acceptedBytes)
    if (accepted.length === 0) return Promise.resolve()
    this.#acceptedBytes += accepted.length
    this.#window.push(accepted)
    return this.#keep(accepted)
  }

  /** Ends the output and says what became of it. Never rejects; asked again, it gives the same answer. */
  finish(): Promise<SpilledOutput> {
    this.#finished ??= this.#finish()
    return this.#finished
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
    const received = { receivedBytes: this.#receivedBytes }
    if (this.#file === undefined) {
      const { bytes } = this.#inMemory
      const isCut = this.isFull
      const text = decode(bytes, isCut)
      const notice = isCut ? `${spillNotice({ ...received, keptBytes: bytes.length })}\n` : ''
      return { ...received, text: notice + text, keptBytes: bytes.length, isCut }
    }
    const stored = await closed(this.#file)
    const text = `${spillNotice({ ...received, ...stored })}\n${this.#window.preview(this.isFull)}`
    const { path, keptBytes } = stored
    return {
      ...received,
      ...(path !== undefined && { path }),
      text,
      keptBytes,
      isCut: received.receivedBytes > keptBytes,
    }
  }
}

interface Stored {
  readonly path?: string
  readonly keptBytes: number
  readonly problem?: string
}

async function closed(file: { path: string; writer: BoundedWriter } | { problem: string }): Promise<Stored> {
  if ('problem' in file) return { keptBytes: 0, problem: file.problem }
  const { writtenBytes, error } = await file.writer.close()
  const problem = error === undefined ? {} : { problem: describeFailure(error) }
  return { ...(writtenBytes > 0 && { path: file.path }), keptBytes: writtenBytes, ...problem }
}

interface SpillFacts {
  readonly receivedBytes: number
  readonly keptBytes: number
  readonly path?: string
  /** Why not all is kept, where that is not the cap. */
  readonly problem?: string
}

/** The line above the preview of an output: its size, where it is, and whether some of it is lost. */
function spillNotice(facts: SpillFacts): string {
  return `[Long output: ${formatCount(facts.receivedBytes)} bytes; ${whatIsKept(facts)}${advice(facts)}]`
}

function whatIsKept({ receivedBytes, keptBytes, path, problem }: SpillFacts): string {
  if (path === undefined && problem !== undefined) {
    return `its start and end are below, the rest could not be kept (${problem}).`
  }
  const place = path === undefined ? 'below' : `in ${path}`
  if (receivedBytes === keptBytes && problem === undefined) return `its start and end are below, all of it is ${place}.`
  const reason = problem === undefined ? 'more came and was not kept' : `the rest could not be kept (${problem})`
  return `the first ${formatCount(keptBytes)} bytes are ${place}, ${reason}.`
}

function advice({ path }: SpillFacts): string {
  return path === undefined ? '' : ' Read a range of that file, or search it with Grep.'
}

const FIRST_CAPACITY = 4 * 1024

/** Bytes in one piece of memory: a list of the chunks would cost a hundred times their size where they are tiny. */
class ByteCollector {
  #buffer = Buffer.alloc(0)
  #length = 0

  push(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length
    if (needed > this.#buffer.length) this.#grow(needed)
    this.#buffer.set(chunk, this.#length)
    this.#length = needed
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(needed: number): void {
    const larger = Buffer.alloc(Math.max(needed, this.#buffer.length * 2, FIRST_CAPACITY))
    this.bytes.copy(larger)
    this.#buffer = larger
  }
}
