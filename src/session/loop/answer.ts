import type { AssistantMessage, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { ModelBlock, ModelEvent, ModelUsage, StopReason } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import type { RunStop } from '../../contract/runtime.js'
import { isTooDeep } from '../../contract/schema.js'
import { sendableContent } from '../messages/to-model-messages.js'

/** In place of an input that could be neither written down nor sent back, so that the conversation could not go on. */
const TOO_DEEP = 'It was nested too deeply.'

/** The outcome of one request. */
export interface AnswerRead {
  readonly answer: Answer
  /** Its message in the conversation. Undefined if it was empty, or broke off before the first complete block. */
  readonly message: AssistantMessage | undefined
  readonly calls: CallResults | undefined
}

/** The outcome of the calls of one message. */
export interface CallResults {
  readonly results: readonly ToolResultBlock[]
  readonly stopped: RunStop | undefined
}

/** What the model has said so far in answer to one request. */
export class Answer {
  readonly calls: ToolUseBlock[] = []
  /** Calls that the message ended in the middle of: they never ran. */
  readonly cutCalls: string[] = []
  stopReason: StopReason | undefined
  usage: ModelUsage | undefined
  /** Set where the answer broke off. */
  error: ModelError | undefined
  readonly #blocks: ModelBlock[] = []
  #id: string | undefined
  #model: string
  #unended = ''
  #isShown = false
  /** The ids of its calls, each with the last number that was put behind it. */
  readonly #uses = new Map<string, number>()

  constructor(model: string) {
    this.#model = model
  }

  /** Who wrote it, as the provider says. */
  get model(): string {
    return this.#model
  }

  /** Whether anybody has seen a part of it. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** Takes a piece in; gives the call that is whole with it, if it is one. */
  take(event: ModelEvent): ToolUseBlock | undefined {
    if (event.type !== 'message-started') this.#isShown = true
    switch (event.type) {
      case 'message-started':
        this.#id = event.id
        this.#model = event.model
        return undefined
      case 'text-delta':
        this.#unended += event.text
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

  /** The blocks that are whole; undefined where nothing of them can be sent back. */
  message({ withUnended = false } = {}): AssistantMessage | undefined {
    const unended = withUnended && this.#unended.trim() !== '' ? [{ type: 'text' as const, text: this.#unended }] : []
    const content = sendableContent([...this.#blocks, ...unended])
    if (content.length === 0) return undefined
    return { type: 'assistant', ...(this.#id !== undefined && { id: this.#id }), content }
  }

  #addBlock(block: ModelBlock): ToolUseBlock | undefined {
    if (block.type === 'text') this.#unended = ''
    if (block.type !== 'tool_use') {
      this.#blocks.push(block)
      return undefined
    }
    const call = this.#withOwnId(isTooDeep(block.input) ? { ...block, input: TOO_DEEP } : block)
    this.#blocks.push(call)
    this.calls.push(call)
    return call
  }

  /** Models have been seen to use an id again, which providers refuse within one message. */
  #withOwnId(call: ToolUseBlock): ToolUseBlock {
    let number = this.#uses.get(call.id) ?? 0
    let { id } = call
    // Goes on from the last number: for a model that has one id for all, each would be compared with all.
    while (this.#uses.has(id)) id = `${call.id}-${++number}`
    this.#uses.set(id, 1)
    if (number > 0) this.#uses.set(call.id, number)
    if (id === call.id) return call
    return { ...call, id }
  }
}
