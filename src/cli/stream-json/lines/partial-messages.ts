import {
  type ModelBlock,
  type ModelEvent,
  type ModelUsage,
  NO_USAGE,
  type StopReason,
} from '../../../contract/model/model.js'
import type { OutputBody } from '../schema/output-schema.js'
import { STOP_REASONS, usageOf } from '../turn/turn-result.js'

type StreamEvent = Extract<OutputBody, { type: 'stream_event' }>['event']

/**
 * Converts model events to stream events of the Anthropic Messages API. Each block has an index, a start and an end.
 */
export class PartialMessages {
  #nextIndex = 0
  /** The indexes of open blocks: calls by id, text and thinking by type. */
  readonly #openBlocks = new Map<string, number>()

  convert(event: ModelEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'message-started':
        this.#nextIndex = 0
        this.#openBlocks.clear()
        return [{ type: 'message_start', message: createEmptyMessage(event) }]
      case 'text-delta':
        return this.#startOrContinue('text', { type: 'text', text: '' }, { type: 'text_delta', text: event.text })
      case 'thinking-delta': {
        const delta = { type: 'thinking_delta', thinking: event.text }
        return this.#startOrContinue('thinking', { type: 'thinking', thinking: '', signature: '' }, delta)
      }
      case 'call-begun':
        return this.#start(event.id, { type: 'tool_use', id: event.id, name: event.name, input: {} })
      case 'input-delta':
        return this.#continue(event.id, { type: 'input_json_delta', partial_json: event.json })
      case 'block-ended':
        return this.#end(event.block)
      case 'call-cut':
        return this.#stop(event.id)
      case 'message-ended':
        return [...this.#stopAll(), createMessageDelta(event.stopReason, event.usage), { type: 'message_stop' }]
    }
  }

  #startOrContinue(key: string, block: object, delta: object): readonly StreamEvent[] {
    const startEvents = this.#openBlocks.has(key) ? [] : this.#start(key, block)
    return [...startEvents, ...this.#continue(key, delta)]
  }

  #start(key: string, content_block: object): readonly StreamEvent[] {
    const stopEvents = this.#stop(key)
    const index = this.#nextIndex++
    this.#openBlocks.set(key, index)
    return [...stopEvents, { type: 'content_block_start', index, content_block }]
  }

  #continue(key: string, delta: object): readonly StreamEvent[] {
    const index = this.#openBlocks.get(key)
    return index === undefined ? [] : [{ type: 'content_block_delta', index, delta }]
  }

  #end(block: ModelBlock): readonly StreamEvent[] {
    const key = block.type === 'tool_use' ? block.id : block.type
    if (this.#openBlocks.has(key)) return this.#stop(key)
    return [...this.#start(key, block), ...this.#stop(key)]
  }

  #stop(key: string): readonly StreamEvent[] {
    const index = this.#openBlocks.get(key)
    this.#openBlocks.delete(key)
    return index === undefined ? [] : [{ type: 'content_block_stop', index }]
  }

  #stopAll(): readonly StreamEvent[] {
    return [...this.#openBlocks.keys()].flatMap((key) => this.#stop(key))
  }
}

function createEmptyMessage({ id, model }: { readonly id?: string; readonly model: string }): object {
  const message = { type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null }
  return { ...(id !== undefined && { id }), ...message, usage: usageOf(NO_USAGE) }
}

function createMessageDelta(stopReason: StopReason, usage: ModelUsage): StreamEvent {
  const stop_reason = STOP_REASONS[stopReason]
  return { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: usageOf(usage) }
}
