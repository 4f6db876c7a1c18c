import type { ModelRequest } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { CallIdRule, SendableRequest } from '../common/sendable-request.js'
import type { OptionalPart } from './endpoint-support.js'
import { findReasoningField } from './message-parts.js'
import { toChatMessages, toOpenAITools } from './to-chat-messages.js'
import { toResponseInput, toResponseTools } from './to-response-input.js'

/** Servers with this API have ids such as `functions.Read:0`, and some models depend on that form. */
export const OPENAI_ID_RULE: CallIdRule = { pattern: /^[!-~]{1,64}$/ }

export interface BodyOptions {
  readonly model: string
  /** Whether this is OpenAI's own endpoint, which supports parameters that others may reject. */
  readonly isOpenAI: boolean
  readonly accepts: (part: OptionalPart) => boolean
}

/** A request body and the optional parts in it. */
interface Body<T> {
  readonly body: T
  readonly optionalParts: ReadonlySet<OptionalPart>
}

export function buildChatBody(request: SendableRequest, { model, isOpenAI, accepts }: BodyOptions) {
  const { tools, maxOutputTokens, conversationId } = request
  const optionalParts = new OptionalParts(accepts)
  const effort = chooseEffort(request.thinking)
  const body = {
    model,
    messages: toChatMessages(request, {
      acceptsFiles: isOpenAI,
      sendsReasoning: !hasThinking(request, 'chat') || optionalParts.use('earlier-reasoning'),
      arguments: !hasInvalidInput(request) || optionalParts.use('invalid-arguments') ? 'unchanged' : 'wrapped',
    }),
    ...(tools.length > 0 && { tools: toOpenAITools(tools) }),
    stream: true as const,
    ...(optionalParts.use('usage') && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens !== undefined &&
      toTokenLimitField(maxOutputTokens, isOpenAI === optionalParts.use('usual-limit-field'))),
    ...(effort !== undefined && optionalParts.use('reasoning') && { reasoning_effort: effort }),
    ...(isOpenAI &&
      conversationId !== undefined &&
      optionalParts.use('cache-key') && { prompt_cache_key: conversationId }),
  }
  return { body, optionalParts: optionalParts.usedParts } satisfies Body<typeof body>
}

export function buildResponseBody(request: SendableRequest, { model, isOpenAI, accepts }: BodyOptions) {
  const { system, tools, maxOutputTokens, conversationId, thinking } = request
  const optionalParts = new OptionalParts(accepts)
  const reasoning = createReasoning(thinking)
  const body = {
    model,
    ...(system.length > 0 && { instructions: system.join('\n\n') }),
    input: toResponseInput(request.messages, {
      sendsReasoning: !hasThinking(request, 'responses') || optionalParts.use('earlier-reasoning'),
      arguments: !hasInvalidInput(request) || optionalParts.use('invalid-arguments') ? 'unchanged' : 'wrapped',
    }),
    ...(tools.length > 0 && { tools: toResponseTools(tools) }),
    stream: true as const,
    // The conversation is stored here, not on the server; reasoning is returned encrypted, to be sent back.
    store: false,
    ...(optionalParts.use('encrypted-reasoning') && { include: ['reasoning.encrypted_content' as const] }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(reasoning !== undefined && optionalParts.use('reasoning') && { reasoning }),
    ...(isOpenAI &&
      conversationId !== undefined &&
      optionalParts.use('cache-key') && { prompt_cache_key: conversationId }),
  }
  return { body, optionalParts: optionalParts.usedParts } satisfies Body<typeof body>
}

/** Records which optional parts a request contains. */
class OptionalParts {
  readonly usedParts = new Set<OptionalPart>()
  readonly #accepts: (part: OptionalPart) => boolean

  constructor(accepts: (part: OptionalPart) => boolean) {
    this.#accepts = accepts
  }

  use(part: OptionalPart): boolean {
    if (!this.#accepts(part)) return false
    this.usedParts.add(part)
    return true
  }
}

/**
 * Returns the field for the token limit. OpenAI expects the new name of the field, most other servers the old one. An endpoint
 * that rejects the usual name gets the other one.
 */
function toTokenLimitField(tokens: number, isNewName: boolean) {
  return isNewName ? { max_completion_tokens: tokens } : { max_tokens: tokens }
}

const MAX_LOW_BUDGET = 4_096
const MAX_MEDIUM_BUDGET = 16_384

/**
 * Chooses the reasoning effort. It is sent only if a thinking budget is requested: models without reasoning reject the
 * parameter.
 */
function chooseEffort(thinking: ThinkingConfig | undefined): 'low' | 'medium' | 'high' | undefined {
  if (thinking?.type !== 'enabled') return undefined
  if (thinking.budgetTokens <= MAX_LOW_BUDGET) return 'low'
  return thinking.budgetTokens <= MAX_MEDIUM_BUDGET ? 'medium' : 'high'
}

function createReasoning(thinking: ThinkingConfig | undefined) {
  if (thinking === undefined || thinking.type === 'disabled') return undefined
  const effort = chooseEffort(thinking)
  return { summary: 'auto' as const, ...(effort !== undefined && { effort }) }
}

function hasInvalidInput({ messages }: ModelRequest): boolean {
  return messages.some((message) => {
    if (message.type !== 'assistant') return false
    return message.content.some((block) => block.type === 'tool_use' && typeof block.input === 'string')
  })
}

function hasThinking({ messages }: ModelRequest, api: 'chat' | 'responses'): boolean {
  return messages.some((message) => {
    if (message.type !== 'assistant') return false
    return message.content.some((block) => {
      if (block.type !== 'thinking' || block.id === undefined) return false
      return (findReasoningField(block) !== undefined) === (api === 'chat')
    })
  })
}
