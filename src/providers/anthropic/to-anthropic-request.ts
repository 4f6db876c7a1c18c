import type { AssistantMessage } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest } from '../../contract/model.js'
import { anthropicBody } from './anthropic-body.js'
import { type AnthropicThinking, planThinking } from './anthropic-thinking.js'
import { type AnthropicMessage, toAnthropicMessages } from './to-anthropic-messages.js'

/** More than an answer needs, and little enough not to crowd out the conversation. */
const USUAL_MAX_TOKENS = 32_000

export interface AnthropicRequest {
  readonly body: Uint8Array
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
  const messages = toAnthropicMessages(request.messages, (message) => keepThinking && !withoutThinking.has(message))
  const accepted = thinking !== undefined && isAccepted(thinking, messages) ? thinking : undefined
  return {
    body: anthropicBody({ model, maxTokens, thinking: accepted, request, messages }),
    betas: beta === undefined ? [] : [beta],
  }
}

/** With a budget, the API demands thinking before calls that are being answered; another model's could not be sent. */
function isAccepted(thinking: AnthropicThinking, messages: readonly AnthropicMessage[]): boolean {
  if (thinking.type !== 'enabled') return true
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? []
  return !last.some(({ type }) => type === 'tool_use') || /thinking/.test(last[0]?.type ?? '')
}
