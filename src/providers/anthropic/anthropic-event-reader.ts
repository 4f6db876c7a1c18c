import {
  type ModelBlock,
  type ModelEvent,
  type ModelUsage,
  NO_USAGE,
  type StopReason,
} from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'

type Fields = Readonly<Record<string, unknown>>

interface OpenBlock {
  readonly index: unknown
  readonly type: string
  readonly start: Fields
  /** Text, thinking or JSON received so far. It is a list, because joining the text with each delta would be quadratic. */
  readonly deltas: string[]
  signature: string
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  stop_sequence: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_full',
  pause_turn: 'pause',
}

/** Stop reasons that end a message at an arbitrary point. */
const TRUNCATING_REASONS: ReadonlySet<StopReason> = new Set<StopReason>([
  'max_tokens',
  'refusal',
  'context_full',
  'pause',
])

/**
 * Converts the raw stream events of one message to model events.
 * Unknown events and blocks are skipped, because the provider adds new ones over time.
 */
export class AnthropicEventReader {
  #openBlock: OpenBlock | undefined
  /** A finished call with incomplete JSON. It counts as a call only if the message continues or ends normally. */
  #incompleteCall: OpenBlock | undefined
  #usage: ModelUsage = NO_USAGE
  #stopReason: StopReason | undefined
  #hasCalls = false
  #isEnded = false

  get isEnded(): boolean {
    return this.#isEnded
  }

  *read(event: unknown): Generator<ModelEvent> {
    if (!isRecord(event)) throw new SyntaxError('Invalid stream event: expected an object.')
    switch (event.type) {
      case 'message_start':
        yield this.#start(asFields(event.message))
        break
      case 'content_block_start':
        yield* this.#endOpenBlocks()
        yield* this.#begin(event.index, asFields(event.content_block))
        break
      case 'content_block_delta':
        yield* this.#appendDelta(event.index, asFields(event.delta))
        break
      case 'content_block_stop':
        yield* this.#stop(event.index)
        break
      case 'message_delta':
        this.#stopReason = this.#toStopReason(asFields(event.delta).stop_reason) ?? this.#stopReason
        this.#usage = readUsage(event.usage, this.#usage)
        break
      case 'message_stop':
        yield* this.#end()
        break
    }
  }

  #start(message: Fields): ModelEvent {
    this.#usage = readUsage(message.usage, this.#usage)
    const { id } = message
    return { type: 'message-started', ...(typeof id === 'string' && { id }), model: asText(message.model) }
  }

  *#begin(index: unknown, start: Fields): Generator<ModelEvent> {
    const block: OpenBlock = { index, type: asText(start.type), start, deltas: [], signature: asText(start.signature) }
    this.#openBlock = block
    if (block.type === 'tool_use') {
      this.#hasCalls = true
      yield { type: 'call-begun', id: asText(start.id), name: asText(start.name) }
    }
    if (block.type === 'text') yield* appendText(block, start.text, 'text-delta')
    if (block.type === 'thinking') yield* appendText(block, start.thinking, 'thinking-delta')
  }

  *#appendDelta(index: unknown, delta: Fields): Generator<ModelEvent> {
    const block = this.#openBlock
    if (block === undefined || block.index !== index) return
    if (delta.type === 'text_delta' && block.type === 'text') yield* appendText(block, delta.text, 'text-delta')
    if (delta.type === 'thinking_delta' && block.type === 'thinking') {
      yield* appendText(block, delta.thinking, 'thinking-delta')
    }
    if (delta.type === 'signature_delta') block.signature += asText(delta.signature)
    if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
      const json = asText(delta.partial_json)
      if (json === '') return
      block.deltas.push(json)
      yield { type: 'input-delta', id: asText(block.start.id), json }
    }
  }

  *#stop(index: unknown): Generator<ModelEvent> {
    const block = this.#openBlock
    if (block === undefined || block.index !== index) return
    this.#openBlock = undefined
    if (block.type === 'tool_use' && !isComplete(block)) this.#incompleteCall = block
    else yield* endBlock(block)
  }

  /**
   * Ends the blocks that are still open. The message continues or has ended normally, so even a call with incomplete JSON
   * counts.
   */
  *#endOpenBlocks(): Generator<ModelEvent> {
    const blocks = [this.#incompleteCall, this.#openBlock]
    this.#incompleteCall = undefined
    this.#openBlock = undefined
    for (const block of blocks) if (block !== undefined) yield* endBlock(block)
  }

  *#end(): Generator<ModelEvent> {
    const stopReason = this.#stopReason ?? (this.#hasCalls ? 'tool_use' : 'end_turn')
    const lastBlock = this.#incompleteCall ?? this.#openBlock
    if (lastBlock?.type === 'tool_use' && TRUNCATING_REASONS.has(stopReason)) {
      yield { type: 'call-cut', id: asText(lastBlock.start.id), name: asText(lastBlock.start.name) }
    } else {
      yield* this.#endOpenBlocks()
    }
    this.#isEnded = true
    yield { type: 'message-ended', stopReason, usage: this.#usage }
  }

  #toStopReason(reason: unknown): StopReason | undefined {
    if (typeof reason !== 'string') return undefined
    return STOP_REASONS[reason] ?? (this.#hasCalls ? 'tool_use' : 'end_turn')
  }
}

/** Reads counts, which are running totals. An omitted count keeps its value. */
export function readUsage(reported: unknown, usageBefore: ModelUsage = NO_USAGE): ModelUsage {
  const usage = asFields(reported)
  const webSearches = toCount(asFields(usage.server_tool_use).web_search_requests) ?? usageBefore.webSearches
  return {
    input: toCount(usage.input_tokens) ?? usageBefore.input,
    output: toCount(usage.output_tokens) ?? usageBefore.output,
    cacheRead: toCount(usage.cache_read_input_tokens) ?? usageBefore.cacheRead,
    cacheWrite: toCount(usage.cache_creation_input_tokens) ?? usageBefore.cacheWrite,
    ...(webSearches !== undefined && webSearches > 0 && { webSearches }),
  }
}

function* appendText(block: OpenBlock, delta: unknown, type: 'text-delta' | 'thinking-delta'): Generator<ModelEvent> {
  const text = asText(delta)
  if (text === '') return
  block.deltas.push(text)
  yield { type, text: text }
}

function* endBlock(block: OpenBlock): Generator<ModelEvent> {
  const modelBlock = toModelBlock(block)
  if (modelBlock !== undefined) yield { type: 'block-ended', block: modelBlock }
}

function toModelBlock({ type, start, deltas, signature }: OpenBlock): ModelBlock | undefined {
  const content = deltas.join('')
  switch (type) {
    case 'text':
      return content === '' ? undefined : { type, text: content }
    case 'thinking':
      // Hidden thinking has no text, but its signature must be sent back.
      if (content === '' && signature === '') return undefined
      return { type, thinking: content, ...(signature !== '' && { signature }) }
    case 'redacted_thinking':
      return { type, data: asText(start.data) }
    case 'tool_use':
      return { type, id: asText(start.id), name: asText(start.name), input: parseInput(start.input, content) }
    default:
      return undefined
  }
}

function parseInput(start: unknown, json: string): unknown {
  if (json === '') return start ?? {}
  try {
    return JSON.parse(json)
  } catch {
    // Input validation will report the invalid JSON to the model.
    return json
  }
}

/** Whether the JSON of a call is complete. Empty JSON is ambiguous: it may be a call without input or one that was cut off. */
function isComplete({ start, deltas }: OpenBlock): boolean {
  const json = deltas.join('')
  if (json === '') return isRecord(start.input) && Object.keys(start.input).length > 0
  return isRecord(parseInput(undefined, json))
}

function asFields(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
