import type { AssistantMessage } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest } from '../../contract/model.js'
import { type AnthropicThinking, planThinking } from './anthropic-thinking.js'
import { type CachedParts, withCacheBreakpoints } from './cache-breakpoints.js'
import { type AnthropicMessage, toAnthropicMessages } from './to-anthropic-messages.js'
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
  /** Messages whose thinking the endpoint has refused. */
  readonly withoutThinking: { has(message: AssistantMessage): boolean }
}

export function toAnthropicRequest(request: ModelRequest, target: AnthropicTarget): AnthropicRequest {
  const { model, facts, betas, withoutThinking } = target
  const maxTokens = request.maxOutputTokens ?? Math.min(facts.maxOutputTokens, USUAL_MAX_TOKENS)
  const { thinking, keepThinking, beta } = planThinking(model, request.thinking, { maxTokens, betas })
  const { tools, system, messages } = withCacheBreakpoints(
    {
      tools: toAnthropicTools(request.tools),
      system: request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text })),
      messages: toAnthropicMessages(request.messages, (message) => keepThinking && !withoutThinking.has(message)),
    },
    request.builtInTools,
  )
  return {
    body: {
      model,
      max_tokens: maxTokens,
      stream: true,
      ...(thinking !== undefined && isAccepted(thinking, messages) && { thinking }),
      ...(tools.length > 0 && { tools }),
      ...(system.length > 0 && { system }),
      messages,
    },
    betas: beta === undefined ? [] : [beta],
  }
}

/** With a budget, the API demands thinking before calls that are being answered; another model's could not be sent. */
function isAccepted(thinking: AnthropicThinking, messages: readonly AnthropicMessage[]): boolean {
  if (thinking.type !== 'enabled') return true
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? []
  return !last.some(({ type }) => type === 'tool_use') || /thinking/.test(last[0]?.type ?? '')
}
