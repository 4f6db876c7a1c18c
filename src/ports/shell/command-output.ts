import { ToolCallError } from '../../contract/errors.js'
import type { ShellOutput } from '../../contract/ports/shell.js'
import type { MaskingStream } from '../../shared/secret-masker.js'
import { UnseenOutput } from '../tasks/unseen-output.js'

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
    this.#notifyListener(chunk)
    try {
      await this.#sink.write(chunk)
    } catch (error) {
      this.#failure = new ToolCallError('result_lost', 'The output of the command could not be stored.', {
        cause: error,
      })
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
