import type {
  Message,
  ToolDefinition,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolResultContent,
  UserMessage,
} from '../../contract/messages.js'
import {
  discoveredTools,
  extractDiscoveredToolNames,
  formatFunctionsBlock,
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
export function messageCarrier(): (messages: readonly Message[], request: CarriedRequest) => readonly Message[] {
  const byCarrier = new Map<CarriedRequest['carrier'], CarriedHistory>()
  return (messages, request) => {
    const history = byCarrier.get(request.carrier) ?? new CarriedHistory()
    byCarrier.set(request.carrier, history)
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
    const carried = this.#carriedByMessage.get(message) ?? carryMessage(message, request)
    this.#carriedByMessage.set(message, carried)
    return carried
  }
}

function carryMessage(message: UserMessage, request: CarriedRequest): UserMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const isResolvable = (name: string) =>
    request.carrier === 'native' && request.tools.some((tool) => tool.name === name)
  const isUnresolvable = (block: ToolResultContent): block is ToolReferenceBlock =>
    block.type === 'tool_reference' && !isResolvable(block.tool_name)
  if (!content.some((part) => part.type === 'tool_result' && blocksOf(part).some(isUnresolvable))) return message
  return {
    ...message,
    content: content.map((part) => {
      if (part.type !== 'tool_result' || !blocksOf(part).some(isUnresolvable)) return part
      const unresolved = blocksOf(part).filter(isUnresolvable)
      const otherBlocks = blocksOf(part).filter((block) => !isUnresolvable(block))
      return { ...part, content: [...otherBlocks, { type: 'text', text: formatReferences(unresolved, request) }] }
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
 * Prepends the tools discovered in `before` to the messages that continue it: a compacted conversation, or the first
 * messages of a sub-agent. Tools discovered in `after` are not repeated.
 */
export function keepDiscoveredTools(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const presentNames = new Set(extractDiscoveredToolNames(after))
  const missingNames = extractDiscoveredToolNames(before).filter((name) => !presentNames.has(name))
  return missingNames.length === 0 ? after : [discoveredTools(missingNames), ...after]
}
