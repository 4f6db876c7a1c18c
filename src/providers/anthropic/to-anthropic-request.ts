import type { ModelFacts, ModelRequest } from '../../contract/model.js'
import { type AnthropicThinking, planThinking } from './anthropic-thinking.js'
import { type CachedParts, withCacheBreakpoints } from './cache-breakpoints.js'
import { toAnthropicMessages } from './to-anthropic-messages.js'
import { toAnthropicTools } from './to-anthropic-tools.js'

/** More than an answer needs, and little enough not to crowd out the conversation. */
const USUAL_MAX_TOKENS = 32_000

/** The body of a request; the order of its members is that of the provider's cache. */
interface AnthropicBody extends Partial<CachedParts> {
  model: string
  max_tokens: number
  stream: true
  thinking?: AnthropicThinking
  messages: CachedParts['messages']
}

export interface AnthropicRequest {
  readonly body: AnthropicBody
  readonly betas: readonly string[]
}

export interface AnthropicTarget {
  readonly model: string
  readonly facts: ModelFacts
  /** Whether fields may be sent that the endpoint takes only with a header for a beta. */
  readonly betas: boolean
}

export function toAnthropicRequest(request: ModelRequest, { model, facts, betas }: AnthropicTarget): AnthropicRequest {
  const maxTokens = request.maxOutputTokens ?? Math.min(facts.maxOutputTokens, USUAL_MAX_TOKENS)
  const { thinking, keepThinking, beta } = planThinking(model, request.thinking, { maxTokens, betas })
  const { tools, system, messages } = withCacheBreakpoints(
    {
      tools: toAnthropicTools(request.tools),
      system: request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text })),
      messages: toAnthropicMessages(request.messages, { keepThinking }),
    },
    request.builtInTools,
  )
  return {
    body: {
      model,
      max_tokens: maxTokens,
      stream: true,
      ...(thinking !== undefined && { thinking }),
      ...(tools.length > 0 && { tools }),
      ...(system.length > 0 && { system }),
      messages,
    },
    betas: beta === undefined ? [] : [beta],
  }
}
