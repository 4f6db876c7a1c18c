import type { AssistantMessage, ToolDefinition, ToolResultBlock, UserMessage } from '../../contract/messages.js'
import type { ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { isTooDeep } from '../../contract/schema.js'
import {
  isSendableText,
  MAX_ID_CHARS,
  toSendableId,
  toSendableName,
  toSendableText,
  toSendableValue,
} from './sendable-text.js'

declare const sendableBrand: unique symbol

/** A request that the API of a provider accepts. Only `toSendableRequest` creates it. */
export type SendableRequest = ModelRequest & { readonly [sendableBrand]: true }

/** What the ids of calls may contain in one protocol. */
export interface CallIdRule {
  readonly pattern: RegExp
}

type AssistantBlock = AssistantMessage['content'][number]
type UserBlock = Exclude<UserMessage['content'], string>[number]
type ResultPart = Exclude<ToolResultBlock['content'], string>[number]

/**
 * Converts a request so that providers accept it. Every request passes through this function. It ensures well-formed Unicode,
 * bounded texts, valid names, and ids that are valid and unique in the conversation. One string that an API refuses would
 * otherwise fail every further request of the conversation. Each message, tool list and system prompt is converted once; a
 * valid one stays the same object.
 */
export function toSendableRequest(request: ModelRequest, rule: CallIdRule): SendableRequest {
  const { system, tools, messages, conversationId } = request
  const convertedRequest: ModelRequest = {
    ...request,
    system: memoise(systemPrompts, system, () => mapUnlessSame(system, toSendableText)),
    tools: toSendableTools(tools),
    messages: toUniqueIds(messages.map((message) => toSendableMessage(message, rule))),
    ...(conversationId !== undefined && { conversationId: toSendableText(conversationId) }),
  }
  return convertedRequest as SendableRequest
}

const systemPrompts = new WeakMap<readonly string[], readonly string[]>()
const toolLists = new WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>()
const messagesByRule = new WeakMap<CallIdRule, WeakMap<ModelMessage, ModelMessage>>()

function memoise<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, create: () => Value): Value {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const value = create()
  cache.set(key, value)
  return value
}

/** Converts tool definitions, also for hosts that call a provider themselves. */
export function toSendableTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return memoise(toolLists, tools, () => mapUnlessSame(tools, toSendableTool))
}

/** Returns the name that a tool has in the host, for the name under which a model calls it. */
export function toHostName(sentName: string, tools: readonly ToolDefinition[]): string {
  return tools.find(({ name }) => toSendableName(name) === sentName)?.name ?? sentName
}

function toSendableTool(tool: ToolDefinition): ToolDefinition {
  const name = toSendableName(tool.name)
  return toSendableValue(name === tool.name ? tool : { ...tool, name })
}

function toSendableMessage(message: ModelMessage, rule: CallIdRule): ModelMessage {
  const cache = memoise(messagesByRule, rule, () => new WeakMap())
  return memoise(cache, message, () =>
    message.type === 'assistant' ? toSendableAnswer(message, rule) : toSendableInput(message, rule),
  )
}

function toSendableAnswer(message: AssistantMessage, rule: CallIdRule): AssistantMessage {
  const content = mapUnlessSame(message.content, (block) => toSendableBlock(block, rule)).filter(
    (block) => block !== undefined,
  )
  if (content.length === message.content.length && content.every((block, at) => block === message.content[at]))
    return message
  return { ...message, content: content.length === 0 ? [{ type: 'text', text: '(no text)' }] : content }
}

/** Converts a block. Returns undefined for thinking that cannot be sent: the provider signed it, so it cannot be corrected. */
function toSendableBlock(block: AssistantBlock, rule: CallIdRule): AssistantBlock | undefined {
  switch (block.type) {
    case 'text':
      return toSendableValue(block)
    case 'redacted_thinking':
      return block.data.isWellFormed() ? block : undefined
    case 'thinking': {
      const { thinking, signature = '', id = '' } = block
      const isSendable = isSendableText(thinking) && signature.isWellFormed() && id.isWellFormed()
      if (isSendable) return block
      return block.signature === undefined && id.isWellFormed()
        ? { ...block, thinking: toSendableText(thinking) }
        : undefined
    }
    case 'tool_use': {
      const [id, name, input] = [
        toSendableId(block.id, rule.pattern),
        toSendableName(block.name),
        toCallInput(block.input),
      ]
      return id === block.id && name === block.name && input === block.input ? block : { ...block, id, name, input }
    }
  }
}

function toCallInput(input: unknown): unknown {
  return isTooDeep(input)
    ? { invalid_input: 'This input was removed, because it was nested too deeply.' }
    : toSendableValue(input)
}

function toSendableInput(message: UserMessage, rule: CallIdRule): UserMessage {
  const { content } = message
  const convertedContent =
    typeof content === 'string'
      ? toSendableText(content)
      : mapUnlessSame(content, (block): UserBlock => {
          return block.type === 'tool_result' ? toSendableResult(block, rule) : toSendablePart(block)
        })
  return convertedContent === content ? message : { ...message, content: convertedContent }
}

/** Converts one result, also for hosts that call a provider themselves. */
export function toSendableResult(block: ToolResultBlock, rule: CallIdRule): ToolResultBlock {
  const { tool_use_id, content } = block
  const id = toSendableId(tool_use_id, rule.pattern)
  const convertedContent =
    typeof content === 'string' ? toSendableText(content) : mapUnlessSame(content, toSendablePart)
  return id === tool_use_id && convertedContent === content
    ? block
    : { ...block, tool_use_id: id, content: convertedContent }
}

function toSendablePart<Part extends ResultPart>(part: Part): Part {
  if (part.type === 'text') return toSendableValue(part)
  if (part.type === 'tool_reference') {
    const tool_name = toSendableName(part.tool_name)
    return tool_name === part.tool_name ? part : { ...part, tool_name }
  }
  // Images and documents have limits of their own, which are checked where they are read.
  return toSendableValue(part, Number.POSITIVE_INFINITY)
}

/** Like `map`, but returns the same list if no part has changed. */
function mapUnlessSame<Item, Result>(items: readonly Item[], convert: (item: Item) => Result): readonly Result[] {
  const convertedItems = items.map((item) => convert(item))
  return convertedItems.every((item, at) => Object.is(item, items[at]))
    ? (items as unknown as readonly Result[])
    : convertedItems
}

/** Renames calls whose id an earlier call has, together with their results in the next message. */
function toUniqueIds(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const ids = new UsedIds()
  let newIdsByOldId: ReadonlyMap<string, readonly string[]> | undefined
  return messages.map((message) => {
    if (message.type === 'assistant') newIdsByOldId = ids.reserve(message)
    if (newIdsByOldId === undefined) return message
    const key = JSON.stringify([...newIdsByOldId])
    const cached = renamedMessages.get(message)
    if (cached?.key === key) return cached.message
    const convertedMessage = renameCalls(message, newIdsByOldId)
    renamedMessages.set(message, { key, message: convertedMessage })
    return convertedMessage
  })
}

const renamedMessages = new WeakMap<ModelMessage, { readonly key: string; readonly message: ModelMessage }>()

class UsedIds {
  readonly #ids = new Set<string>()
  /** By id: the last number that was appended to it. */
  readonly #lastNumbers = new Map<string, number>()

  /** Reserves the ids of the calls of a message. If an earlier call has one of them, returns the new ids by old id, in call order. */
  reserve({ content }: AssistantMessage): ReadonlyMap<string, readonly string[]> | undefined {
    let newIds: Map<string, string[]> | undefined
    for (const [at, block] of content.entries()) {
      if (block.type !== 'tool_use') continue
      const id = this.#ids.has(block.id) ? this.#createId(block.id) : block.id
      this.#ids.add(id)
      if (id !== block.id) newIds ??= listIds(content.slice(0, at))
      if (newIds !== undefined) appendToList(newIds, block.id, id)
    }
    return newIds
  }

  #createId(id: string): string {
    let number = this.#lastNumbers.get(id) ?? 1
    let newId: string
    do {
      const suffix = `-${++number}`
      newId = `${id.slice(0, MAX_ID_CHARS - suffix.length)}${suffix}`
    } while (this.#ids.has(newId))
    this.#lastNumbers.set(id, number)
    return newId
  }
}

/** Maps the ids of calls whose ids stay unchanged to themselves. */
function listIds(content: AssistantMessage['content']): Map<string, string[]> {
  const ids = new Map<string, string[]>()
  for (const block of content) if (block.type === 'tool_use') appendToList(ids, block.id, block.id)
  return ids
}

function appendToList(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** Renames the calls or results of a message. The nth call with an id, and the nth result, get the nth new id. */
function renameCalls(message: ModelMessage, newIdsByOldId: ReadonlyMap<string, readonly string[]>): ModelMessage {
  const useCounts = new Map<string, number>()
  const getNextId = (id: string): string => {
    const count = useCounts.get(id) ?? 0
    useCounts.set(id, count + 1)
    return newIdsByOldId.get(id)?.[count] ?? id
  }
  if (message.type === 'assistant')
    return {
      ...message,
      content: message.content.map((block) =>
        block.type === 'tool_use' ? { ...block, id: getNextId(block.id) } : block,
      ),
    }
  if (typeof message.content === 'string') return message
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, tool_use_id: getNextId(block.tool_use_id) } : block,
    ),
  }
}
