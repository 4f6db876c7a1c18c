import type { ModelRequest } from '../../contract/model.js'
import type { AnthropicThinking } from './anthropic-thinking.js'
import { markedLast, markedMessage, markedTools, markedTurns } from './cache-breakpoints.js'
import type { AnthropicMessage } from './to-anthropic-messages.js'
import { toAnthropicTools } from './to-anthropic-tools.js'

export interface BodyParts {
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
export function anthropicBody(parts: BodyParts): Uint8Array {
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
