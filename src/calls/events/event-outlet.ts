import type { ToolEvent } from '../../contract/events.js'
import type { ToolUseBlock } from '../../contract/messages.js'
import type { CallOutcome } from '../perform-call.js'
import { EventStream } from './event-stream.js'

/** Where the events of one message go: to whoever iterates, and to the host's own listener. */
export class EventOutlet implements AsyncIterable<ToolEvent> {
  readonly #stream = new EventStream<ToolEvent>('call-progressed')
  readonly #onEvent: ((event: ToolEvent) => unknown) | undefined
  /** Calls whose tool may still be at work: one that answered is through, one that failed may have been left behind. */
  readonly #failed = new Set<string>()

  constructor(onEvent: ((event: ToolEvent) => unknown) | undefined) {
    this.#onEvent = onEvent
  }

  /** A call that has failed is silent, whatever a tool that was left behind still says. */
  emit(event: ToolEvent): void {
    if (event.type === 'mode-entered' || !this.#failed.has(event.toolUseId)) this.#send(event)
  }

  queued({ id, name, input }: ToolUseBlock): void {
    // Models have been seen to use an id again.
    if (this.#failed.size > 0) this.#failed.delete(id)
    this.#send({ type: 'call-queued', toolUseId: id, at: Date.now(), toolName: name, input })
  }

  repaired({ id }: ToolUseBlock, paths: readonly string[]): void {
    this.#send({ type: 'input-repaired', toolUseId: id, at: Date.now(), paths })
  }

  started({ id }: ToolUseBlock): void {
    this.#send({ type: 'call-started', toolUseId: id, at: Date.now() })
  }

  ended({ id }: ToolUseBlock, { block, error }: CallOutcome): void {
    if (error === undefined) {
      this.#send({ type: 'call-ended', toolUseId: id, at: Date.now(), result: block })
      return
    }
    this.#failed.add(id)
    this.#send({ type: 'call-ended', toolUseId: id, at: Date.now(), result: block, errorCode: error.code })
  }

  close(): void {
    this.#stream.close()
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent> {
    return this.#stream[Symbol.asyncIterator]()
  }

  #send(event: ToolEvent): void {
    this.#stream.push(event)
    if (this.#onEvent === undefined) return
    try {
      const heard = this.#onEvent(event)
      if (heard instanceof Promise) heard.catch(ignore)
    } catch {
      // Who watches calls must not be able to stop them.
    }
  }
}

function ignore(): void {}
