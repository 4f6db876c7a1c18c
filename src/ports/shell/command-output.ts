import { ToolCallError } from '../../contract/errors.js'
import { COMMAND_PREVIEW_HEAD_CHARS, COMMAND_PREVIEW_TAIL_CHARS, MAX_TOOL_RESULT_BYTES } from '../../contract/limits.js'
import type { ShellOutput } from '../../contract/ports/shell.js'
import { cutText, cutTextStart } from '../../shared/cut-text.js'
import type { MaskingStream } from '../../shared/secret-masker.js'

/** Stores the output of a command. It keeps no reference to a chunk once its write has resolved. */
export interface OutputSink {
  /** Resolves when the next chunk can be written. */
  write(chunk: Uint8Array): Promise<void>
  /** Whether the limit is exceeded, so that the command must be stopped. */
  readonly isFull: boolean
  /** The file that contains the whole output so far, once there is one. */
  readonly path?: string | undefined
  finish(): Promise<ShellOutput>
}

/** Opens the sink for the output of the call with this ID. */
export type OpenOutput = (id: string) => OutputSink

export type OnOutput = (chunk: Uint8Array) => void

/** Passes each chunk of output to the sink, to the listener, and to a buffer for callers that read later. */
export class CommandOutput {
  /** Resolves when the sink is full. */
  readonly filled: Promise<void>
  readonly #sink: OutputSink
  readonly #masking: MaskingStream | undefined
  readonly #unread: UnseenOutput | undefined
  /** The output of a background task for the user. Unlike `#unread`, it is not cleared by reading. */
  #shown: UnseenOutput | undefined
  #onOutput: OnOutput | undefined
  #markFilled: () => void = () => undefined
  #receivedBytes = 0
  #failure: ToolCallError | undefined
  #finalOutput: ShellOutput | undefined

  constructor(options: {
    readonly sink: OutputSink
    readonly onOutput?: OnOutput | undefined
    /** Whether callers may read the output before it is complete. */
    readonly canContinueInBackground: boolean
    /** Masks secrets before any reader gets the output. */
    readonly masking?: MaskingStream | undefined
  }) {
    this.#sink = options.sink
    this.#masking = options.masking
    this.#onOutput = options.onOutput
    this.#unread = options.canContinueInBackground ? new UnseenOutput() : undefined
    this.filled = new Promise((resolve) => {
      this.#markFilled = resolve
    })
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (this.#masking === undefined) return this.#pass(chunk)
    const maskedChunk = this.#masking.push(chunk)
    if (maskedChunk.length > 0) await this.#pass(maskedChunk)
  }

  async #pass(chunk: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return
    this.#receivedBytes += chunk.length
    this.#unread?.push(chunk)
    this.#shown?.push(chunk)
    this.#notifyListener(chunk)
    try {
      await this.#sink.write(chunk)
    } catch (error) {
      this.#failure = new ToolCallError(
        'result_lost',
        'The output of the command could not be stored. Check that the disk is not full.',
        {
          cause: error,
        },
      )
    }
    if (this.#failure !== undefined || this.#sink.isFull) this.#markFilled()
  }

  /** Returns the output since the last call of this method. */
  takeUnread(): ShellOutput {
    const path = this.#finalOutput?.path ?? this.#sink.path
    const receivedBytes = this.#receivedBytes
    return {
      text: this.#unread?.take({ path, hasEnded: this.#finalOutput !== undefined }) ?? '',
      ...(path !== undefined && { path }),
      receivedBytes,
      keptBytes: this.#finalOutput?.keptBytes ?? receivedBytes,
      isCut: this.#finalOutput?.isCut ?? false,
    }
  }

  /** Keeps the unread output and all later output for `peek`. */
  keepForUser(): void {
    this.#shown = this.#unread?.copy()
  }

  /** Returns the output so far for the user; the model can still take it. Long output is reduced to its start and end. */
  peek(): string {
    return this.#shown?.read({ path: this.#finalOutput?.path ?? this.#sink.path, hasEnded: true }) ?? ''
  }

  /** Stops passing output to the listener. The output is still stored. */
  removeListener(): void {
    this.#onOutput = undefined
  }

  async finish(): Promise<ShellOutput> {
    this.removeListener()
    const heldBackBytes = this.#masking?.end()
    if (heldBackBytes !== undefined && heldBackBytes.length > 0) await this.#pass(heldBackBytes)
    this.#finalOutput = await this.#sink.finish()
    if (this.#failure !== undefined) throw this.#failure
    return this.#finalOutput
  }

  #notifyListener(chunk: Uint8Array): void {
    try {
      // Copied, because the memory of the chunk is reused.
      this.#onOutput?.(new Uint8Array(chunk))
    } catch {
      // A listener that throws must not stop the command.
      this.removeListener()
    }
  }
}

/** The length of the longest UTF-8 sequence. */
const MAX_CHARACTER_BYTES = 4
const MAX_HEAD_BYTES = COMMAND_PREVIEW_HEAD_CHARS * MAX_CHARACTER_BYTES
const TAIL_BYTES = COMMAND_PREVIEW_TAIL_CHARS * MAX_CHARACTER_BYTES

interface ReadOptions {
  /** The file with the whole output, which a shortened text refers to. */
  readonly path?: string | undefined
  readonly hasEnded: boolean
}

/** The output of a task that has not been read yet. Long output is reduced to its start and end. */
export class UnseenOutput {
  readonly #limit: number
  #buffer = Buffer.alloc(0)
  #length = 0
  #receivedBytes = 0

  constructor(limit = MAX_TOOL_RESULT_BYTES) {
    this.#limit = Math.max(limit, MAX_HEAD_BYTES + TAIL_BYTES)
  }

  push(chunk: Uint8Array): void {
    this.#receivedBytes += chunk.length
    if (this.#length + chunk.length > this.#limit) this.#shorten(chunk)
    else this.#append(chunk)
  }

  /** Returns the unread text and clears it. While the task runs, an incomplete character at the end is kept for the next call. */
  take(options: ReadOptions): string {
    const text = this.read(options)
    const bytes = this.#buffer.subarray(0, this.#length)
    const incompleteLength = options.hasEnded ? 0 : countIncompleteBytes(bytes)
    this.#buffer = Buffer.from(bytes.subarray(bytes.length - incompleteLength))
    this.#length = incompleteLength
    this.#receivedBytes = incompleteLength
    return text
  }

  read({ path, hasEnded }: ReadOptions): string {
    const bytes = this.#buffer.subarray(0, this.#length)
    const incompleteLength = hasEnded ? 0 : countIncompleteBytes(bytes)
    const completeBytes = bytes.subarray(0, bytes.length - incompleteLength)
    const isShort = this.#length === this.#receivedBytes
    return isShort ? decode(completeBytes) : formatPreview(completeBytes, this.#receivedBytes, path)
  }

  copy(): UnseenOutput {
    const copy = new UnseenOutput(this.#limit)
    copy.#buffer = Buffer.from(this.#buffer.subarray(0, this.#length))
    copy.#length = this.#length
    copy.#receivedBytes = this.#receivedBytes
    return copy
  }

  #append(chunk: Uint8Array): void {
    const neededBytes = this.#length + chunk.length
    if (neededBytes > this.#buffer.length) {
      const largerBuffer = Buffer.alloc(Math.min(this.#limit, Math.max(neededBytes, this.#buffer.length * 2)))
      this.#buffer.copy(largerBuffer, 0, 0, this.#length)
      this.#buffer = largerBuffer
    }
    this.#buffer.set(chunk, this.#length)
    this.#length = neededBytes
  }

  /** Keeps the head and, after it, only the last bytes. */
  #shorten(chunk: Uint8Array): void {
    const headPart = chunk.subarray(0, Math.max(0, MAX_HEAD_BYTES - this.#length))
    this.#append(headPart)
    const lastPart = chunk.subarray(headPart.length).subarray(-TAIL_BYTES)
    const keptFrom = Math.max(MAX_HEAD_BYTES, this.#length - (TAIL_BYTES - lastPart.length))
    this.#buffer.copyWithin(MAX_HEAD_BYTES, keptFrom, this.#length)
    this.#length = MAX_HEAD_BYTES + this.#length - keptFrom
    this.#append(lastPart)
  }
}

function formatPreview(bytes: Buffer, receivedBytes: number, path: string | undefined): string {
  const head = decode(bytes.subarray(0, MAX_HEAD_BYTES - countIncompleteBytes(bytes.subarray(0, MAX_HEAD_BYTES))))
  const tail = decode(bytes.subarray(-TAIL_BYTES))
  const location = path === undefined ? '' : `; everything so far is in ${path}`
  return [
    `[Long output: ${receivedBytes} bytes received; the start and end are below${location}.]`,
    cutText(head, COMMAND_PREVIEW_HEAD_CHARS),
    '[middle omitted]',
    cutTextStart(tail, COMMAND_PREVIEW_TAIL_CHARS),
  ].join('\n')
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Returns how many bytes at the end belong to an incomplete character. */
function countIncompleteBytes(bytes: Uint8Array): number {
  for (let distance = 1; distance < MAX_CHARACTER_BYTES && distance <= bytes.length; distance++) {
    const byte = bytes[bytes.length - distance] ?? 0
    if (byte >= 0xc0) return distance < getCharacterLength(byte) ? distance : 0
    if (byte < 0x80) return 0
  }
  return 0
}

function getCharacterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4
  return firstByte >= 0xe0 ? 3 : 2
}
