import type { ToolEvent } from '../contract/events.js'
import type { ToolUseBlock } from '../contract/messages.js'
import type { CallOutcome } from './call-outcome.js'

/** The events of one run: sends each to the runtime's listener, and to the code that iterates over the run. */
export class RunEvents implements AsyncIterable<ToolEvent> {
  readonly #stream: EventStream<ToolEvent>
  readonly #onEvent: (event: ToolEvent) => unknown
  /** The ids of failed calls, whose tools may have been abandoned and still be running. */
  readonly #failedCalls = new Set<string>()

  constructor(onEvent: (event: ToolEvent) => unknown, keepsUnread = true) {
    this.#onEvent = onEvent
    this.#stream = new EventStream('call-progressed', keepsUnread)
  }

  /** Emits an event. Events of a call that has failed are dropped: its tool may have been abandoned. */
  emit(event: ToolEvent): void {
    if (event.type === 'mode-entered' || !this.#failedCalls.has(event.toolUseId)) this.#send(event)
  }

  emitQueued({ id, name, input }: ToolUseBlock): void {
    // Models sometimes reuse an id.
    if (this.#failedCalls.size > 0) this.#failedCalls.delete(id)
    this.#send({ type: 'call-queued', toolUseId: id, at: Date.now(), toolName: name, input })
  }

  emitRepaired({ id }: ToolUseBlock, paths: readonly string[]): void {
    this.#send({ type: 'input-repaired', toolUseId: id, at: Date.now(), paths })
  }

  emitStarted({ id }: ToolUseBlock): void {
    this.#send({ type: 'call-started', toolUseId: id, at: Date.now() })
  }

  emitEnded({ id }: ToolUseBlock, { block, error, output, mcpMeta }: CallOutcome): void {
    if (error !== undefined) this.#failedCalls.add(id)
    const at = Date.now()
    const toolErrorCode = error?.toolErrorCode
    if (mcpMeta !== undefined || toolErrorCode !== undefined) {
      this.#send({
        ...{ type: 'call-ended', toolUseId: id, at, result: block },
        ...(output !== undefined && { output }),
        ...(error !== undefined && { errorCode: error.code }),
        ...(toolErrorCode !== undefined && { toolErrorCode }),
        ...(mcpMeta !== undefined && { mcpMeta }),
      })
      return
    }
    // Three literals: copying one with a spread took a third of the CPU time of a call that does nothing.
    if (error !== undefined) this.#send({ type: 'call-ended', toolUseId: id, at, result: block, errorCode: error.code })
    else if (output !== undefined) this.#send({ type: 'call-ended', toolUseId: id, at, result: block, output })
    else this.#send({ type: 'call-ended', toolUseId: id, at, result: block })
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

/**
 * Events for any number of readers. If `keepsUnread` is set, events before the first reader are kept for it; all other
 * readers see only new events. A slow reader loses old droppable events and nothing else.
 */
export class EventStream<T extends { readonly type: string }> implements AsyncIterable<T> {
  readonly #droppableType: string
  #unread: UnreadEvents<T> | undefined
  readonly #readers = new Set<EventReader<T>>()
  #isClosed = false

  constructor(droppableType: string, keepsUnread = true) {
    this.#droppableType = droppableType
    this.#unread = keepsUnread ? new UnreadEvents(droppableType) : undefined
  }

  /** Adds an event. Events after `close` are dropped. */
  push(event: T): void {
    if (this.#isClosed) return
    this.#unread?.push(event)
    if (this.#readers.size > 0) for (const reader of this.#readers) reader.push(event)
  }

  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader.wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    const reader = new EventReader(this.#unread ?? new UnreadEvents<T>(this.#droppableType))
    this.#unread = undefined
    this.#readers.add(reader)
    try {
      for (;;) {
        // Not `yield*`, which makes twice as many promises.
        for (const event of reader.take()) yield event
        if (reader.hasUnread) continue
        if (this.#isClosed) return
        await reader.waitForEvent()
      }
    } finally {
      this.#readers.delete(reader)
    }
  }
}

class EventReader<T extends { readonly type: string }> {
  readonly #events: UnreadEvents<T>
  #wake: (() => void) | undefined

  constructor(events: UnreadEvents<T>) {
    this.#events = events
  }

  get hasUnread(): boolean {
    return !this.#events.isEmpty
  }

  push(event: T): void {
    this.#events.push(event)
    this.wake()
  }

  take(): readonly T[] {
    return this.#events.take()
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  waitForEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

const MAX_DROPPABLE_EVENTS = 1_000

/** Unread events in order. Of the droppable type only the latest are kept, because there may be any number of them. */
export class UnreadEvents<T extends { readonly type: string }> {
  readonly #droppableType: string
  readonly #maxDroppable: number
  #events: (T | undefined)[] = []
  /** The positions of droppable events in `#events`, oldest first, starting at `#oldestIndex`. */
  #droppablePositions: number[] = []
  #oldestIndex = 0

  constructor(droppableType: string, max = MAX_DROPPABLE_EVENTS) {
    this.#droppableType = droppableType
    this.#maxDroppable = max
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  push(event: T): void {
    if (event.type === this.#droppableType) {
      if (this.#droppablePositions.length - this.#oldestIndex >= this.#maxDroppable) this.#dropOldest()
      this.#droppablePositions.push(this.#events.length)
    }
    this.#events.push(event)
  }

  take(): readonly T[] {
    const unreadEvents = this.#events.filter((event) => event !== undefined)
    this.#replace([])
    return unreadEvents
  }

  /** Leaves a gap. Gaps are removed once there are `max` of them, so that a drop costs constant time on average. */
  #dropOldest(): void {
    const position = this.#droppablePositions[this.#oldestIndex++]
    if (position !== undefined) this.#events[position] = undefined
    if (this.#oldestIndex >= this.#maxDroppable) this.#replace(this.take())
  }

  #replace(events: readonly T[]): void {
    this.#events = []
    this.#droppablePositions = []
    this.#oldestIndex = 0
    for (const event of events) {
      if (event.type === this.#droppableType) this.#droppablePositions.push(this.#events.length)
      this.#events.push(event)
    }
  }
}
