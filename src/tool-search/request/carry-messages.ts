import { type Message, type ToolDefinition, type ToolReferenceBlock, type ToolResultBlock, type ToolResultContent, type UserMessage } from '../../contract/messages.js'
import { functionsBlock, discoveredTools, extractDiscoveredToolNames } from '../../contract/tool/deferred-tools.js'
import { ListProgress } from '../../shared/growing-list.js'
import { type Carrier } from './choose-carrier.js'

export interface CarriedRequest {
  readonly carrier: Carrier | 'inline'
  /** The tools that the request has; a provider refuses a reference to any other. */
  readonly tools: readonly ToolDefinition[]
  /** The definition of a tool that is not among them, if it is known. */
  readonly definitionOf?: (name: string) => ToolDefinition | undefined
}

/**
 * Makes the function that a history goes through before every request: references that the endpoint could not follow
 * become the text that another carrier would have given. What was sent once is sent the same again.
 */
export function messageCarrier(): (messages: readonly Message[], request: CarriedRequest) => readonly Message[] {
  const byCarrier = new Map<CarriedRequest['carrier'], CarriedHistory>()
  return (messages, request) => {
    const history = byCarrier.get(request.carrier) ?? new CarriedHistory()
    byCarrier.set(request.carrier, history)
    return history.carry(messages, request)
  }
}

/** What was sent through one carrier. The same array of messages, grown by new ones, gives the same array, grown. */
class CarriedHistory {
  readonly #known = new WeakMap<UserMessage, UserMessage>()
  readonly #progress = new ListProgress<Message>()
  #carried: Message[] = []

  carry(messages: readonly Message[], request: CarriedRequest): readonly Message[] {
    const done = this.#progress.done(messages)
    if (done === 0) this.#carried = []
    for (let index = done; index < messages.length; index++)
      this.#carried.push(this.#carryOne(messages[index] as Message, request))
    this.#progress.reach(messages)
    return this.#carried
  }

  #carryOne(message: Message, request: CarriedRequest): Message {
    if (message.type !== 'user') return message
    const carried = this.#known.get(message) ?? carryMessage(message, request)
    this.#known.set(message, carried)
    return carried
  }
}

function carryMessage(message: UserMessage, request: CarriedRequest): UserMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const canFollow = (name: string) => request.carrier === 'native' && request.tools.some((tool) => tool.name === name)
  const isLost = (block: ToolResultContent): block is ToolReferenceBlock =>
    block.type === 'tool_reference' && !canFollow(block.tool_name)
  if (!content.some((part) => part.type === 'tool_result' && blocksOf(part).some(isLost))) return message
  return {
    ...message,
    content: content.map((part) => {
      if (part.type !== 'tool_result' || !blocksOf(part).some(isLost)) return part
      const lost = blocksOf(part).filter(isLost)
      const rest = blocksOf(part).filter((block) => !isLost(block))
      return { ...part, content: [...rest, { type: 'text', text: textFor(lost, request) }] }
    }),
  }
}

function blocksOf({ content }: ToolResultBlock): readonly ToolResultContent[] {
  return typeof content === 'string' ? [] : content
}

function textFor(references: readonly ToolReferenceBlock[], { tools, definitionOf }: CarriedRequest): string {
  const names = references.map(({ tool_name }) => tool_name)
  const found = names.map((name) => tools.find((tool) => tool.name === name) ?? definitionOf?.(name))
  const known = found.filter((definition) => definition !== undefined)
  const gone = names.filter((_, index) => found[index] === undefined)
  return [
    ...(known.length === 0 ? [] : [functionsBlock(known)]),
    ...(gone.length === 0 ? [] : [`No longer there: ${gone.join(', ')}.`]),
  ].join('\n')
}

/**
 * The messages that go on from others, with what those discovered: a compacted conversation, or the first messages of a
 * sub-agent. What they know already is not told twice.
 */
export function keepDiscoveredTools(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const known = new Set(extractDiscoveredToolNames(after))
  const lost = extractDiscoveredToolNames(before).filter((name) => !known.has(name))
  return lost.length === 0 ? after : [discoveredTools(lost), ...after]
}
