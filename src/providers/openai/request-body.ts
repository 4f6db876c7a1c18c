import type { ModelRequest } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { Extra } from './endpoint-habits.js'
import { reasoningFieldOf } from './message-parts.js'
import { toChatMessages, toOpenAITools } from './to-chat-messages.js'
import { toResponseInput, toResponseTools } from './to-response-input.js'

export interface BodyOptions {
  readonly model: string
  /** OpenAI's own endpoint, which takes what others may not know. */
  readonly isOwn: boolean
  readonly takes: (extra: Extra) => boolean
}

/** What is sent, and which parts of it a server may refuse. */
interface Body<T> {
  readonly body: T
  readonly extras: ReadonlySet<Extra>
}

export function chatBody(request: ModelRequest, { model, isOwn, takes }: BodyOptions) {
  const { tools, maxOutputTokens, conversationId } = request
  const extras = new Extras(takes)
  const effort = effortOf(request.thinking)
  const body = {
    model,
    messages: toChatMessages(request, {
      takesFiles: isOwn,
      sendsReasoning: !hasThinking(request, 'chat') || extras.use('sent-reasoning'),
      arguments: !hasRawInput(request) || extras.use('raw-arguments') ? 'as-they-came' : 'within-json',
    }),
    ...(tools.length > 0 && { tools: toOpenAITools(tools) }),
    stream: true as const,
    ...(extras.use('usage') && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens !== undefined && limitOf(maxOutputTokens, isOwn === extras.use('usual-limit'))),
    ...(effort !== undefined && extras.use('reasoning') && { reasoning_effort: effort }),
    ...(isOwn && conversationId !== undefined && extras.use('cache-key') && { prompt_cache_key: conversationId }),
  }
  return { body, extras: extras.used } satisfies Body<typeof body>
}

export function responseBody(request: ModelRequest, { model, isOwn, takes }: BodyOptions) {
  const { system, tools, maxOutputTokens, conversationId, thinking } = request
  const extras = new Extras(takes)
  const reasoning = reasoningOf(thinking)
  const body = {
    model,
    ...(system.length > 0 && { instructions: system.join('\n\n') }),
    input: toResponseInput(request.messages, {
      sendsReasoning: !hasThinking(request, 'responses') || extras.use('sent-reasoning'),
      arguments: !hasRawInput(request) || extras.use('raw-arguments') ? 'as-they-came' : 'within-json',
    }),
    ...(tools.length > 0 && { tools: toResponseTools(tools) }),
    stream: true as const,
    // The conversation is kept here and not there; reasoning comes sealed, to be sent back.
    store: false,
    ...(extras.use('sealed-reasoning') && { include: ['reasoning.encrypted_content' as const] }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(reasoning !== undefined && extras.use('reasoning') && { reasoning }),
    ...(isOwn && conversationId !== undefined && extras.use('cache-key') && { prompt_cache_key: conversationId }),
  }
  return { body, extras: extras.used } satisfies Body<typeof body>
}

/** Notes which extras a request has. */
class Extras {
  readonly used = new Set<Extra>()
  readonly #takes: (extra: Extra) => boolean

  constructor(takes: (extra: Extra) => boolean) {
    this.#takes = takes
  }

  use(extra: Extra): boolean {
    if (!this.#takes(extra)) return false
    this.used.add(extra)
    return true
  }
}

function limitOf(tokens: number, isNewName: boolean) {
  return isNewName ? { max_completion_tokens: tokens } : { max_tokens: tokens }
}

const LOW = 4_096
const MEDIUM = 16_384

/** Only where thinking is asked for: which models can do without is not known, and others refuse the word. */
function effortOf(thinking: ThinkingConfig | undefined): 'low' | 'medium' | 'high' | undefined {
  if (thinking?.type !== 'enabled') return undefined
  if (thinking.budgetTokens <= LOW) return 'low'
  return thinking.budgetTokens <= MEDIUM ? 'medium' : 'high'
}

function reasoningOf(thinking: ThinkingConfig | undefined) {
  if (thinking === undefined || thinking.type === 'disabled') return undefined
  const effort = effortOf(thinking)
  return { summary: 'auto' as const, ...(effort !== undefined && { effort }) }
}

function hasRawInput({ messages }: ModelRequest): boolean {
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
      return (reasoningFieldOf(block) !== undefined) === (api === 'chat')
    })
  })
}
