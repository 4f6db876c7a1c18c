import { createHash } from 'node:crypto'
import type { ToolDefinition, ToolUseBlock } from '../../../contract/messages.js'
import type { Model, ModelMessage, ModelRequest } from '../../../contract/model/model.js'
import { attachmentKindOf } from '../../messages/to-model-messages.js'
import type { RecordedMessage, RecordedPart, RecordedTool, TranscriptEntry } from '../storage/transcript-entry.js'

/** Longer texts of the system prompt and definitions of tools are recorded with their size and hash only. */
const MAX_RECORDED_CHARS = 64_000
const HASH_LENGTH = 12
const EMPTY_REQUEST_BYTES = Buffer.byteLength(JSON.stringify({ system: [], tools: [], messages: [] }))

interface SentMessage {
  readonly message: ModelMessage
  readonly hash: string
  readonly bytes: number
}

/**
 * Records the parts of each request of one conversation: sizes and hashes, and each text of the system prompt and each
 * definition of a tool once. A request is recorded by what changed since the previous one, so a turn costs as much as
 * what it adds. The size of a request is that of the JSON of its `system`, `tools` and `messages`.
 */
export class RequestRecorder {
  readonly #write: (entry: TranscriptEntry) => void
  readonly #recordedHashes = new Set<string>()
  readonly #toolNames = new Map<string, string>()
  #sentMessages: SentMessage[] = []
  #messageBytes = 0
  #system: { readonly texts: readonly string[]; readonly parts: readonly RecordedPart[] } | undefined
  #tools: { readonly definitions: readonly ToolDefinition[]; readonly hash: string; readonly bytes: number } | undefined

  constructor(write: (entry: TranscriptEntry) => void) {
    this.#write = write
  }

  requestSent(request: ModelRequest, { id, facts }: Model): void {
    const at = Date.now()
    const system = this.#recordSystem(request.system, at)
    const tools = this.#recordTools(request.tools, at)
    const keptCount = this.#countKept(request.messages)
    for (const { bytes } of this.#sentMessages.slice(keptCount)) this.#messageBytes -= bytes
    this.#sentMessages.length = keptCount
    const messages = request.messages.slice(keptCount).map((message) => this.#addMessage(message))
    const systemBytes = system.reduce((sum, [, bytes]) => sum + bytes, 0)
    const commas = countCommas(system) + countCommas(request.tools) + countCommas(request.messages)
    this.#write({
      type: 'request-sent',
      at,
      model: id,
      bytes: EMPTY_REQUEST_BYTES + systemBytes + tools.bytes + this.#messageBytes + commas,
      window: facts.contextWindow,
      ...(facts.prices !== undefined && { prices: facts.prices }),
      tools: tools.hash,
      kept: keptCount,
      system,
      messages,
    })
  }

  #recordSystem(texts: readonly string[], at: number): readonly RecordedPart[] {
    if (this.#system?.texts === texts) return this.#system.parts
    const parts = texts.map((text): RecordedPart => {
      const json = JSON.stringify(text)
      const hash = computeHash([json])
      this.#recordOnce(hash, json.length, { type: 'request-part', at, hash, kind: 'system', value: text })
      return ['system', Buffer.byteLength(json), hash]
    })
    this.#system = { texts, parts }
    return parts
  }

  #recordTools(definitions: readonly ToolDefinition[], at: number): { readonly hash: string; readonly bytes: number } {
    if (this.#tools?.definitions === definitions) return this.#tools
    const tools = definitions.map((definition): RecordedTool => {
      const json = JSON.stringify(definition)
      const hash = computeHash([json])
      this.#recordOnce(hash, json.length, { type: 'request-part', at, hash, kind: 'tool', value: definition })
      const tool = [definition.name, Buffer.byteLength(json), hash] as const
      return definition.defer_loading === true ? [...tool, 1] : tool
    })
    const hash = computeHash(tools.map(([, , toolHash]) => toolHash))
    if (hash !== this.#tools?.hash) this.#write({ type: 'request-tools', at, hash, tools })
    this.#tools = { definitions, hash, bytes: tools.reduce((sum, [, bytes]) => sum + bytes, 0) }
    return this.#tools
  }

  #recordOnce(hash: string, length: number, entry: TranscriptEntry): void {
    if (this.#recordedHashes.has(hash) || length > MAX_RECORDED_CHARS) return
    this.#recordedHashes.add(hash)
    this.#write(entry)
  }

  /** Returns how many leading messages are the same as in the previous request. Most of them are the same objects. */
  #countKept(messages: readonly ModelMessage[]): number {
    const limit = Math.min(messages.length, this.#sentMessages.length)
    for (let index = 0; index < limit; index++) {
      const sentMessage = this.#sentMessages[index]
      const message = messages[index] as ModelMessage
      if (sentMessage?.message === message) continue
      if (sentMessage?.hash !== measureMessage(message, this.#toolNames).hash) return index
    }
    return limit
  }

  #addMessage(message: ModelMessage): RecordedMessage {
    const { hash, bytes, parts } = measureMessage(message, this.#toolNames)
    this.#sentMessages.push({ message, hash, bytes })
    this.#messageBytes += bytes
    return [message.type, bytes, hash, parts]
  }
}

interface MeasuredMessage {
  readonly hash: string
  readonly bytes: number
  readonly parts: readonly RecordedPart[]
}

/** Measures a message and its blocks. What the blocks do not account for is the frame of the message. */
function measureMessage(message: ModelMessage, toolNames: Map<string, string>): MeasuredMessage {
  if (typeof message.content === 'string') {
    const json = JSON.stringify(message)
    const bytes = Buffer.byteLength(json)
    return { hash: computeHash([json]), bytes, parts: [['prompt', bytes]] }
  }
  const frame = JSON.stringify({ ...message, content: [] })
  const texts = [frame]
  const parts = message.content.map((block): RecordedPart => {
    const json = JSON.stringify(block)
    texts.push(json)
    if (block.type === 'tool_use') toolNames.set(block.id, (block as ToolUseBlock).name)
    return describeBlock(block, Buffer.byteLength(json), message.type, toolNames)
  })
  const commas = countCommas(message.content)
  const bytes = parts.reduce((sum, [, partBytes]) => sum + partBytes, Buffer.byteLength(frame) + commas)
  return { hash: computeHash(texts), bytes, parts }
}

type Block = Exclude<ModelMessage['content'], string>[number]

function describeBlock(
  block: Block,
  bytes: number,
  role: ModelMessage['type'],
  toolNames: ReadonlyMap<string, string>,
): RecordedPart {
  if (block.type === 'tool_use') return ['call', bytes, block.name]
  if (block.type === 'tool_result') return ['result', bytes, toolNames.get(block.tool_use_id) ?? '']
  if (role === 'assistant') return [block.type === 'text' ? 'answer' : 'reasoning', bytes]
  const kind = attachmentKindOf(block)
  if (kind !== undefined) return ['attachment', bytes, kind]
  return block.type === 'text' ? ['prompt', bytes] : ['prompt', bytes, block.type]
}

function countCommas(items: readonly unknown[]): number {
  return Math.max(0, items.length - 1)
}

function computeHash(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text)
  return hash.digest('hex').slice(0, HASH_LENGTH)
}
