import { MAX_SPILL_BYTES, MAX_TOOL_RESULT_BYTES } from '../contract/limits.js'
import { BoundedWriter } from './bounded-writer.js'
import { ByteCollector } from './byte-collector.js'
import { ByteWindow, decode } from './byte-window.js'
import { describeFailure } from './describe-failure.js'
import { openResultFile, type ResultFile } from './result-file.js'
import { spillNotice } from './spill-notice.js'

export interface SpillOptions {
  readonly directory: string
  /** The id of the call; the file is named after it. */
  readonly id: string
  /** Output up to this many bytes stays in memory. */
  readonly memoryBytes?: number
  /** Bytes that are kept; then `isFull`. */
  readonly maxBytes?: number
  readonly openFile?: (directory: string, id: string) => ResultFile
}

export interface SpilledOutput {
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
