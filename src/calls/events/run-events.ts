import type { ToolEvent } from '../../contract/events.js'
import type { ToolUseBlock } from '../../contract/messages.js'
import type { CallOutcome } from '../call.js'
import { EventStream } from './event-stream.js'

/** The events of one run: sends each to the runtime's listener, and keeps them for code that iterates over the run. */
export class RunEvents implements AsyncIterable<ToolEvent> {
  readonly #stream = new EventStream<ToolEvent>('call-progressed')
  readonly #onEvent: (event: ToolEvent) => unknown
  /** Failed calls, whose abandoned tools may still be running. */
  readonly #failedCalls = new Set<string>()

  constructor(onEvent: (event: ToolEvent) => unknown) {
    this.#onEvent = onEvent
  }

  /** Events of a call that has failed are dropped: its tool may have been abandoned. */
  emit(event: ToolEvent): void {
    if (event.type === 'mode-entered' || !this.#failedCalls.has(event.toolUseId)) this.#send(event)
  }

  queued({ id, name, input }: ToolUseBlock): void {
    // Models sometimes reuse an id.
    if (this.#failedCalls.size > 0) this.#failedCalls.delete(id)
    this.#send({ type: 'call-queued', toolUseId: id, at: Date.now(), toolName: name, input })
  }

  repaired({ id }: ToolUseBlock, paths: readonly string[]): void {
    this.#send({ type: 'input-repaired', toolUseId: id, at: Date.now(), paths })
  }

  started({ id }: ToolUseBlock): void {
    this.#send({ type: 'call-started', toolUseId: id, at: Date.now() })
  }

  ended({ id }: ToolUseBlock, { block, error }: CallOutcome): void {
    if (error !== undefined) this.#failedCalls.add(id)
    const event = { type: 'call-ended', toolUseId: id, at: Date.now(), result: block } as const
    this.#send(error === undefined ? event : { ...event, errorCode: error.code })
  }

  close(): void {
    this.#stream.close()
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent> {
    return this.#stream[Symbol.asyncIterator]()
  }

  #send(event: ToolEvent): void {
    this.#stream.push(event)
    try {
      const result = this.#onEvent(event)
      if (result instanceof Promise) result.catch(ignore)
    } catch {
      // A failing listener must not fail the call.
    }
  }
}

function ignore(): void {}
