import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { ModelBlock, ModelEvent, ModelUsage, StopReason } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import type { RunStop } from '../../contract/runtime.js'
import { isTooDeep } from '../../contract/schema.js'
import { keepSendableContent } from '../messages/to-model-messages.js'

/** Replaces an input that cannot be saved or sent back, so that the conversation can continue. */
const TOO_DEEP_NOTE = 'This input was removed, because it was nested too deeply.'

/** The outcome of one request: the answer, its message, and the results of its calls. */
export interface AnswerOutcome {
  readonly answer: Answer
  /** The message added to the conversation. Undefined if the answer was empty, or broke off before its first complete call. */
  readonly message: AssistantMessage | undefined
  readonly calls: CallResults | undefined
}

/** The outcome of the calls of one message. */
export interface CallResults {
  readonly results: readonly ToolResultBlock[]
  readonly runStop: RunStop | undefined
}

/** The model's answer to one request, as received so far. */
export class Answer {
  readonly calls: ToolUseBlock[] = []
  /** Names of calls that were truncated by the end of the message. They never ran. */
  readonly cutCalls: string[] = []
  stopReason: StopReason | undefined
  usage: ModelUsage | undefined
  /** The reason if the answer broke off. */
  error: ModelError | undefined
  readonly #blocks: ModelBlock[] = []
  #id: string | undefined
  #model: string
  #unfinishedText = ''
  #isShown = false
  /** The last number that was appended to an id to make it unique, by the id that the model sent. */
  readonly #lastSuffixes = new Map<string, number>()

  constructor(model: string) {
    this.#model = model
  }

  /** The model that wrote the answer, as reported by the provider. */
  get model(): string {
    return this.#model
  }

  /** Whether any part of the answer may have been shown to the user. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** Adds an event. Returns the call that it completes, if any. */
  addEvent(event: ModelEvent): ToolUseBlock | undefined {
    if (event.type !== 'message-started') this.#isShown = true
    switch (event.type) {
      case 'message-started':
        this.#id = event.id
        this.#model = event.model
        return undefined
      case 'text-delta':
        this.#unfinishedText += event.text
        return undefined
      case 'block-ended':
        return this.#addBlock(event.block)
      case 'call-cut':
        this.cutCalls.push(event.name)
        return undefined
      case 'message-ended':
        this.stopReason = event.stopReason
        this.usage = event.usage
        return undefined
      default:
        return undefined
    }
  }

  /** Returns a message with the complete blocks. Undefined if none of them can be sent back. */
  toMessage({ includesUnfinishedText = false } = {}): AssistantMessage | undefined {
    const unfinishedBlocks =
      includesUnfinishedText && this.#unfinishedText.trim() !== ''
        ? [{ type: 'text' as const, text: this.#unfinishedText }]
        : []
    const content = keepSendableContent([...this.#blocks, ...unfinishedBlocks])
    if (content.length === 0) return undefined
    return { type: 'assistant', ...(this.#id !== undefined && { id: this.#id }), content }
  }

  #addBlock(block: ModelBlock): ToolUseBlock | undefined {
    if (block.type === 'text') this.#unfinishedText = ''
    if (block.type !== 'tool_use') {
      this.#blocks.push(block)
      return undefined
    }
    const call = this.#withUniqueId(isTooDeep(block.input) ? { ...block, input: TOO_DEEP_NOTE } : block)
    this.#blocks.push(call)
    this.calls.push(call)
    return call
  }

  /** Makes the id of a call unique. Some models reuse ids, which providers reject within one message. */
  #withUniqueId(call: ToolUseBlock): ToolUseBlock {
    let number = this.#lastSuffixes.get(call.id) ?? 0
    let { id } = call
    // Continues from the last number: starting at 1 would be quadratic for a model that always uses the same id.
    while (this.#lastSuffixes.has(id)) id = `${call.id}-${++number}`
    this.#lastSuffixes.set(id, 1)
    if (number > 0) this.#lastSuffixes.set(call.id, number)
    if (id === call.id) return call
    return { ...call, id }
  }
}
