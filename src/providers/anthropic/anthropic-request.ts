import type { AssistantMessage } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest } from '../../contract/model/model.js'
import { type AnthropicThinking, planThinking } from './anthropic-thinking.js'
import {
  type AnthropicMessage,
  type AnthropicTool,
  toAnthropicMessages,
  toAnthropicTools,
} from './to-anthropic-messages.js'

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

interface BodyParts {
  readonly model: string
  readonly maxTokens: number
  readonly thinking: AnthropicThinking | undefined
  readonly request: Pick<ModelRequest, 'tools' | 'builtInTools' | 'system'>
  readonly messages: readonly AnthropicMessage[]
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/**
 * The body of a request; the order of its members is that of the provider's cache. A conversation sends the same over and
 * over with a little more at its end: what has been written once is kept, so that a request costs what is new in it.
 */
function anthropicBody(parts: BodyParts): Uint8Array {
  const turns = markedTurns(parts.messages)
  const bytes: Buffer[] = [headOf(parts)]
  for (const [index, message] of parts.messages.entries()) {
    if (index > 0) bytes.push(COMMA)
    bytes.push(turns.includes(index) ? jsonOf(markedMessage(message)) : messageBytes(message))
  }
  bytes.push(END)
  return Buffer.concat(bytes)
}

const writtenMessages = new WeakMap<AnthropicMessage, Buffer>()

function messageBytes(message: AnthropicMessage): Buffer {
  const known = writtenMessages.get(message) ?? jsonOf(message)
  writtenMessages.set(message, known)
  return known
}

type Head = Omit<BodyParts, 'messages'> & { readonly bytes: Buffer }

/** By the list of tools, which stays the same while nothing changes. */
const writtenHeads = new WeakMap<ModelRequest['tools'], Head>()

function headOf(parts: BodyParts): Buffer {
  const { request } = parts
  const known = writtenHeads.get(request.tools)
  if (known !== undefined && isSame(known, parts)) return known.bytes
  const { model, maxTokens, thinking } = parts
  const bytes = writtenHead(parts)
  const { tools, builtInTools, system } = request
  writtenHeads.set(tools, { model, maxTokens, thinking, request: { tools, builtInTools, system }, bytes })
  return bytes
}

function isSame(a: Omit<BodyParts, 'messages'>, b: BodyParts): boolean {
  return (
    a.model === b.model &&
    a.maxTokens === b.maxTokens &&
    a.request.builtInTools === b.request.builtInTools &&
    a.request.system === b.request.system &&
    JSON.stringify(a.thinking) === JSON.stringify(b.thinking)
  )
}

/** All before the first message. */
function writtenHead({ model, maxTokens, thinking, request }: BodyParts): Buffer {
  const tools = markedTools(toAnthropicTools(request.tools), request.builtInTools)
  const system = markedLast(request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text })))
  const head = JSON.stringify({
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(thinking !== undefined && { thinking }),
    ...(tools.length > 0 && { tools }),
    ...(system.length > 0 && { system }),
  })
  return Buffer.from(`${head.slice(0, -1)},"messages":[`)
}

function jsonOf(message: AnthropicMessage): Buffer {
  return Buffer.from(JSON.stringify(message))
}

const MARK = { cache_control: { type: 'ephemeral' } } as const
/** The API takes four marks in all: one for the tools, one for the system prompt, and these. */
const MARKED_TURNS = 2

/** Marks up to where the provider should keep what it read: here the built-in tools. A tool that is held back cannot carry a mark. */
function markedTools(tools: AnthropicTool[], builtInTools: number): AnthropicTool[] {
  return marked(
    tools,
    tools.findLastIndex((tool, index) => index < builtInTools && tool.defer_loading !== true),
  )
}

function markedLast<Part extends object>(parts: Part[]): Part[] {
  return marked(parts, parts.length - 1)
}

/** Where the last turns of the user stand, the older of which the former request ended with. */
function markedTurns(messages: readonly AnthropicMessage[]): readonly number[] {
  return messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-MARKED_TURNS)
}

function markedMessage(message: AnthropicMessage): AnthropicMessage {
  return message.role === 'user' ? { ...message, content: markedLast(message.content) } : message
}

function marked<Part extends object>(parts: Part[], at: number): Part[] {
  return parts.map((part, index) => (index === at ? { ...part, ...MARK } : part))
}
