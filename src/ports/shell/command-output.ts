import { ToolCallError } from '../../contract/errors.js'
import type { ShellOutput } from '../../contract/ports/shell.js'
import { UnseenOutput } from '../tasks/unseen-output.js'
import type { OutputSink } from './output-sink.js'

export type OnOutput = (chunk: Uint8Array) => void

/** Hands each chunk of a command to all who want it: the sink, who watches, and who asks later. */
export class CommandOutput {
  /** Resolves when no more can be kept. */
  readonly filled: Promise<void>
  readonly #sink: OutputSink
  readonly #unseen: UnseenOutput | undefined
  #onOutput: OnOutput | undefined
  #fill: () => void = () => undefined
  #receivedBytes = 0
  #failure: ToolCallError | undefined
  #final: ShellOutput | undefined

  constructor(options: {
    readonly sink: OutputSink
    readonly onOutput?: OnOutput | undefined
    /** Somebody may ask for the output before it is complete. */
    readonly isAskedFor: boolean
  }) {
    this.#sink = options.sink
    this.#onOutput = options.onOutput
    this.#unseen = options.isAskedFor ? new UnseenOutput() : undefined
    this.filled = new Promise((resolve) => {
      this.#fill = resolve
    })
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return
    this.#receivedBytes += chunk.length
    this.#unseen?.push(chunk)
    this.#show(chunk)
    try {
      await this.#sink.write(chunk)
    } catch (error) {
      this.#failure = new ToolCallError('result_lost', 'The output of the command could not be kept.', { cause: error })
    }
    if (this.#failure !== undefined || this.#sink.isFull) this.#fill()
  }

  /** What came since it was last asked for. */
  takeUnseen(): ShellOutput {
    const path = this.#final?.path ?? this.#sink.path
    const receivedBytes = this.#receivedBytes
    return {
      text: this.#unseen?.take({ path, hasEnded: this.#final !== undefined }) ?? '',
      ...(path !== undefined && { path }),
      receivedBytes,
      keptBytes: this.#final?.keptBytes ?? receivedBytes,
      isCut: this.#final?.isCut ?? false,
    }
  }

  /** Nobody watches any more. */
  stopShowing(): void {
    this.#onOutput = undefined
  }

  async finish(): Promise<ShellOutput> {
    this.stopShowing()
    this.#final = await this.#sink.finish()
    if (this.#failure !== undefined) throw this.#failure
    return this.#final
  }

  #show(chunk: Uint8Array): void {
    try {
      // A copy, because the memory of the chunk is used again.
      this.#onOutput?.(Uint8Array.from(chunk))
    } catch {
      // Who cannot watch does not stop the command.
      this.stopShowing()
    }
  }
}
