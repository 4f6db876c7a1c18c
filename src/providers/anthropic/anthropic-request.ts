import type { AssistantMessage } from '../../contract/messages.js'
import type { ModelFacts, ModelRequest } from '../../contract/model/model.js'
import type { SendableRequest } from '../common/sendable-request.js'
import { type AnthropicThinking, planThinking } from './anthropic-thinking.js'
import {
  type AnthropicMessage,
  type AnthropicTool,
  toAnthropicMessages,
  toAnthropicTools,
} from './to-anthropic-messages.js'

/** Enough for nearly every answer without reserving too much of the context window. */
const DEFAULT_MAX_TOKENS = 32_000

export interface AnthropicRequest {
  readonly body: Uint8Array
  readonly betas: readonly string[]
}

export interface AnthropicTarget {
  readonly model: string
  readonly facts: ModelFacts
  /** Whether fields that require a beta header may be sent. */
  readonly usesBetas: boolean
  /** Messages whose thinking the endpoint has rejected. They are sent without it. */
  readonly messagesWithoutThinking: { has(message: AssistantMessage): boolean }
}

export function toAnthropicRequest(request: SendableRequest, target: AnthropicTarget): AnthropicRequest {
  const { model, facts, usesBetas: betas, messagesWithoutThinking } = target
  const maxTokens = request.maxOutputTokens ?? Math.min(facts.maxOutputTokens, DEFAULT_MAX_TOKENS)
  const { thinking, keepsThinking, beta } = planThinking(model, request.thinking, { maxTokens, betas })
  const messages = toAnthropicMessages(
    request.messages,
    (message) => keepsThinking && !messagesWithoutThinking.has(message),
  )
  const acceptedThinking = thinking !== undefined && canSendThinking(thinking, messages) ? thinking : undefined
  return {
    body: serialiseBody({ model, maxTokens, thinking: acceptedThinking, request, messages }),
    betas: beta === undefined ? [] : [beta],
  }
}

/** Returns the same request for the endpoint that counts tokens, which refuses the fields about the answer. */
export function toAnthropicCount(request: SendableRequest, target: AnthropicTarget): AnthropicRequest {
  const { body, betas } = toAnthropicRequest(request, target)
  const { max_tokens: _, stream: __, ...counted } = JSON.parse(Buffer.from(body).toString())
  return { body: Buffer.from(JSON.stringify(counted)), betas }
}

/**
 * Whether thinking can be requested. With a thinking budget, the API requires that the last assistant message starts with
 * thinking if it has calls. Thinking of another model cannot be sent, so that message may have none.
 */
function canSendThinking(thinking: AnthropicThinking, messages: readonly AnthropicMessage[]): boolean {
  if (thinking.type !== 'enabled') return true
  const lastContent = messages.findLast(({ role }) => role === 'assistant')?.content ?? []
  return !lastContent.some(({ type }) => type === 'tool_use') || /thinking/.test(lastContent[0]?.type ?? '')
}

interface RequestBodyOptions {
  readonly model: string
  readonly maxTokens: number
  readonly thinking: AnthropicThinking | undefined
  readonly request: Pick<ModelRequest, 'tools' | 'builtInTools' | 'system'>
  readonly messages: readonly AnthropicMessage[]
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

/**
 * Serialises the request body. Tools, system prompt and messages come in the order in which the provider caches them. Each
 * request repeats the whole conversation, so serialised parts are cached, and only new parts take time.
 */
function serialiseBody(options: RequestBodyOptions): Uint8Array {
  const turnIndexes = findCachedTurns(options.messages)
  const bytes: Buffer[] = [getSerialisedHead(options)]
  for (const [index, message] of options.messages.entries()) {
    if (index > 0) bytes.push(COMMA)
    bytes.push(turnIndexes.includes(index) ? toJsonBytes(addMessageBreakpoint(message)) : serialiseMessage(message))
  }
  bytes.push(END)
  return Buffer.concat(bytes)
}

const serialisedMessages = new WeakMap<AnthropicMessage, Buffer>()

function serialiseMessage(message: AnthropicMessage): Buffer {
  const bytes = serialisedMessages.get(message) ?? toJsonBytes(message)
  serialisedMessages.set(message, bytes)
  return bytes
}

type RequestHead = Omit<RequestBodyOptions, 'messages'> & { readonly bytes: Buffer }

/** Keyed by the tool list, which stays the same object while nothing changes. */
const serialisedHeads = new WeakMap<ModelRequest['tools'], RequestHead>()

function getSerialisedHead(options: RequestBodyOptions): Buffer {
  const { request } = options
  const cachedHead = serialisedHeads.get(request.tools)
  if (cachedHead !== undefined && isSameHead(cachedHead, options)) return cachedHead.bytes
  const { model, maxTokens, thinking } = options
  const bytes = serialiseHead(options)
  const { tools, builtInTools, system } = request
  serialisedHeads.set(tools, { model, maxTokens, thinking, request: { tools, builtInTools, system }, bytes })
  return bytes
}

function isSameHead(a: Omit<RequestBodyOptions, 'messages'>, b: RequestBodyOptions): boolean {
  return (
    a.model === b.model &&
    a.maxTokens === b.maxTokens &&
    a.request.builtInTools === b.request.builtInTools &&
    a.request.system === b.request.system &&
    JSON.stringify(a.thinking) === JSON.stringify(b.thinking)
  )
}

/** Serialises everything before the first message. */
function serialiseHead({ model, maxTokens, thinking, request }: RequestBodyOptions): Buffer {
  const tools = addToolsBreakpoint(toAnthropicTools(request.tools), request.builtInTools)
  const system = addBreakpointAtEnd(
    request.system.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text })),
  )
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

function toJsonBytes(message: AnthropicMessage): Buffer {
  return Buffer.from(JSON.stringify(message))
}

const CACHE_BREAKPOINT = { cache_control: { type: 'ephemeral' } } as const
/** The API accepts four cache breakpoints: one for the tools, one for the system prompt and two for user turns. */
const MAX_CACHED_TURNS = 2

/** Puts a cache breakpoint after the built-in tools. A deferred tool cannot have one. */
function addToolsBreakpoint(tools: AnthropicTool[], builtInTools: number): AnthropicTool[] {
  return addBreakpointAt(
    tools,
    tools.findLastIndex((tool, index) => index < builtInTools && tool.defer_loading !== true),
  )
}

function addBreakpointAtEnd<Part extends object>(parts: Part[]): Part[] {
  return addBreakpointAt(parts, parts.length - 1)
}

/** Returns the indexes of the last user turns. The previous request ended with the older of them. */
function findCachedTurns(messages: readonly AnthropicMessage[]): readonly number[] {
  return messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-MAX_CACHED_TURNS)
}

function addMessageBreakpoint(message: AnthropicMessage): AnthropicMessage {
  return message.role === 'user' ? { ...message, content: addBreakpointAtEnd(message.content) } : message
}

function addBreakpointAt<Part extends object>(parts: Part[], at: number): Part[] {
  return parts.map((part, index) => (index === at ? { ...part, ...CACHE_BREAKPOINT } : part))
}
