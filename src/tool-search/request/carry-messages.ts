import type {
  Message,
  ToolDefinition,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolResultContent,
  UserMessage,
} from '../../contract/messages.js'
import {
  createDiscoveredTools,
  extractDiscoveredToolNames,
  formatFunctionsBlock,
  shortenFunctionsBlock,
} from '../../contract/tool/deferred-tools.js'
import { ListProgress } from '../../shared/growing-list.js'
import type { Carrier } from './choose-carrier.js'

/** The facts about a request that decide how its history is converted. */
export interface CarriedRequest {
  readonly carrier: Carrier | 'inline'
  /** The tools of the request. A provider rejects references to any other tool. */
  readonly tools: readonly ToolDefinition[]
  /** Returns the definition of a tool that is not in the request, if it is known. */
  readonly definitionOf?: (name: string) => ToolDefinition | undefined
}

/**
 * Creates a function that converts the history before every request: references that the endpoint cannot resolve are
 * replaced by the definitions as text. A message that was sent once is sent unchanged again.
 */
export function createMessageCarrier(): (messages: readonly Message[], request: CarriedRequest) => readonly Message[] {
  const historyByCarrier = new Map<CarriedRequest['carrier'], CarriedHistory>()
  return (messages, request) => {
    const history = historyByCarrier.get(request.carrier) ?? new CarriedHistory()
    historyByCarrier.set(request.carrier, history)
    return history.carry(messages, request)
  }
}

/** The messages that were sent through one carrier. If the input array only grew, the same output array grows too. */
class CarriedHistory {
  readonly #carriedByMessage = new WeakMap<UserMessage, UserMessage>()
  readonly #progress = new ListProgress<Message>()
  #carriedMessages: Message[] = []

  carry(messages: readonly Message[], request: CarriedRequest): readonly Message[] {
    const doneCount = this.#progress.countDone(messages)
    if (doneCount === 0) this.#carriedMessages = []
    for (let index = doneCount; index < messages.length; index++)
      this.#carriedMessages.push(this.#carryMessage(messages[index] as Message, request))
    this.#progress.markDone(messages)
    return this.#carriedMessages
  }

  #carryMessage(message: Message, request: CarriedRequest): Message {
    if (message.type !== 'user') return message
    const carriedMessage = this.#carriedByMessage.get(message) ?? carryMessage(message, request)
    this.#carriedByMessage.set(message, carriedMessage)
    return carriedMessage
  }
}

function carryMessage(message: UserMessage, request: CarriedRequest): UserMessage {
  return shortenDefinitions(resolveReferences(message, request), request)
}

/** Leaves out definitions in results that the request carries anyway. */
function shortenDefinitions(message: UserMessage, { tools }: CarriedRequest): UserMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const sentTools = tools.filter(({ defer_loading }) => defer_loading !== true)
  let hasChanged = false
  const shorten = (text: string) => {
    const shortText = text.startsWith('<functions>') ? shortenFunctionsBlock(text, sentTools) : text
    hasChanged ||= shortText !== text
    return shortText
  }
  const shortContent = content.map((block) => {
    if (block.type !== 'tool_result') return block
    if (typeof block.content === 'string') return { ...block, content: shorten(block.content) }
    return {
      ...block,
      content: block.content.map((part) => (part.type === 'text' ? { ...part, text: shorten(part.text) } : part)),
    }
  })
  return hasChanged ? { ...message, content: shortContent } : message
}

function resolveReferences(message: UserMessage, request: CarriedRequest): UserMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const isResolvable = (name: string) =>
    request.carrier === 'native' && request.tools.some((tool) => tool.name === name)
  const isUnresolvable = (block: ToolResultContent): block is ToolReferenceBlock =>
    block.type === 'tool_reference' && !isResolvable(block.tool_name)
  if (!content.some((block) => block.type === 'tool_result' && blocksOf(block).some(isUnresolvable))) return message
  return {
    ...message,
    content: content.map((block) => {
      if (block.type !== 'tool_result' || !blocksOf(block).some(isUnresolvable)) return block
      const unresolvableBlocks = blocksOf(block).filter(isUnresolvable)
      const otherBlocks = blocksOf(block).filter((block) => !isUnresolvable(block))
      return {
        ...block,
        content: [...otherBlocks, { type: 'text', text: formatReferences(unresolvableBlocks, request) }],
      }
    }),
  }
}

function blocksOf({ content }: ToolResultBlock): readonly ToolResultContent[] {
  return typeof content === 'string' ? [] : content
}

function formatReferences(references: readonly ToolReferenceBlock[], { tools, definitionOf }: CarriedRequest): string {
  const names = references.map(({ tool_name }) => tool_name)
  const definitions = names.map((name) => tools.find((tool) => tool.name === name) ?? definitionOf?.(name))
  const knownDefinitions = definitions.filter((definition) => definition !== undefined)
  const missingNames = names.filter((_, index) => definitions[index] === undefined)
  return [
    ...(knownDefinitions.length === 0 ? [] : [formatFunctionsBlock(knownDefinitions)]),
    ...(missingNames.length === 0 ? [] : [`These tools are no longer available: ${missingNames.join(', ')}.`]),
  ].join('\n')
}

/**
 * Prepends the tools discovered in `messagesBefore` to the messages that follow: a compacted conversation, or the first
 * messages of a sub-agent. Tools discovered in `messagesAfter` are not repeated.
 */
export function keepDiscoveredTools(
  messagesBefore: readonly Message[],
  messagesAfter: readonly Message[],
): readonly Message[] {
  const presentNames = new Set(extractDiscoveredToolNames(messagesAfter))
  const missingNames = extractDiscoveredToolNames(messagesBefore).filter((name) => !presentNames.has(name))
  return missingNames.length === 0 ? messagesAfter : [createDiscoveredTools(missingNames), ...messagesAfter]
}
