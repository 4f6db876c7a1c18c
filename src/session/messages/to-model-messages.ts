import type { AssistantMessage, Message, ToolResultBlock, ToolUseBlock, UserMessage } from '../../contract/messages.js'
import type { ModelMessage } from '../../contract/model/model.js'
import { createIncrementalFold } from '../../shared/growing-list.js'
import { renderAttachment } from './attachment-text.js'
import { wrapInReminder } from './attachments.js'

type UserBlock = Exclude<UserMessage['content'], string>[number]

/**
 * Converts a conversation for a provider: user and assistant take turns, and every call is answered in the message after
 * it. Messages up to the last assistant message never change, neither in content nor as objects, so each request begins
 * with the previous one. Each message is converted once.
 */
export function toModelMessages(messages: readonly Message[]): readonly ModelMessage[] {
  const { turns, assistant, group } = convertMessages(messages)
  const lastTurn = toUserTurn(assistant, group)
  // `concat` instead of a spread, which would copy a long list twice. Without the brackets, V8 copies element by element.
  return lastTurn === undefined ? turns.slice() : turns.concat([lastTurn])
}

interface ConvertedMessages {
  /** Up to and including the last assistant message. */
  readonly turns: ModelMessage[]
  assistant: AssistantMessage | undefined
  /** The messages after the last assistant message. */
  group: Message[]
}

const convertMessages = createIncrementalFold<Message, ConvertedMessages>(
  () => ({ turns: [], assistant: undefined, group: [] }),
  (state, message) => {
    if (message.type !== 'assistant') {
      state.group.push(message)
      return
    }
    const turn = toAssistantTurn(message)
    if (turn === undefined) return
    // Providers require the user to begin, and never two assistant messages in a row.
    state.turns.push(toUserTurn(state.assistant, state.group) ?? EMPTY_USER_TURN, turn)
    state.assistant = turn
    state.group = []
  },
)

const EMPTY_USER_TURN: UserMessage = { type: 'user', content: [{ type: 'text', text: wrapInReminder('Continue.') }] }

const assistantTurns = new WeakMap<AssistantMessage, AssistantMessage | null>()

/** Returns an assistant message without the blocks that providers refuse. Undefined if none are left. */
function toAssistantTurn(message: AssistantMessage): AssistantMessage | undefined {
  let turn = assistantTurns.get(message)
  if (turn === undefined) {
    const content = keepSendableContent(message.content)
    turn = content.length === 0 ? null : content.length === message.content.length ? message : { ...message, content }
    assistantTurns.set(message, turn)
  }
  return turn ?? undefined
}

/**
 * Returns the part of an assistant message that can be sent back. Providers refuse blank text, and thinking at the end of
 * a message.
 */
export function keepSendableContent(content: AssistantMessage['content']): AssistantMessage['content'] {
  const nonBlankBlocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '')
  return nonBlankBlocks.slice(0, nonBlankBlocks.findLastIndex(({ type }) => !THINKING_TYPES.has(type)) + 1)
}

const THINKING_TYPES: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

interface CachedTurn {
  readonly assistant: AssistantMessage | undefined
  readonly group: readonly Message[]
  readonly turn: UserMessage | undefined
}

const userTurns = new WeakMap<Message, CachedTurn>()

/** Converts everything between two assistant messages to one user message. */
function toUserTurn(assistant: AssistantMessage | undefined, group: readonly Message[]): UserMessage | undefined {
  const key = group[0] ?? assistant
  if (key === undefined) return undefined
  const cachedTurn = userTurns.get(key)
  if (cachedTurn?.assistant === assistant && areSameMessages(cachedTurn?.group, group)) return cachedTurn?.turn
  const content = [...collectResultsFor(assistant, group), ...group.flatMap(listOtherBlocks)]
  const turn: UserMessage | undefined = content.length === 0 ? undefined : { type: 'user', content }
  userTurns.set(key, { assistant, group: [...group], turn })
  return turn
}

function areSameMessages(first: readonly Message[] | undefined, second: readonly Message[]): boolean {
  return first?.length === second.length && first.every((message, index) => message === second[index])
}

/** Returns one result for each call, in call order. Results without a call are dropped. */
function collectResultsFor(
  assistant: AssistantMessage | undefined,
  group: readonly Message[],
): readonly ToolResultBlock[] {
  if (assistant === undefined) return []
  return orderResults(callsOf(assistant), group.flatMap(resultsIn), createLostResult)
}

/** Returns one result for each call, in call order. */
export function orderResults(
  calls: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
  createMissingResult: (id: string) => ToolResultBlock,
): readonly ToolResultBlock[] {
  // The usual case: the runtime returns results in call order.
  if (results.length === calls.length && calls.every(({ id }, index) => results[index]?.tool_use_id === id))
    return results
  // Reversed, so that the first of several results for a call is used.
  const resultsById = new Map(results.toReversed().map((result) => [result.tool_use_id, result]))
  return calls.map(({ id }) => resultsById.get(id) ?? createMissingResult(id))
}

function createLostResult(id: string): ToolResultBlock {
  const content = 'The result of this call was lost: it may have run, partly or completely.'
  return { type: 'tool_result', tool_use_id: id, content, is_error: true }
}

function callsOf({ content }: AssistantMessage) {
  return content.filter((block) => block.type === 'tool_use')
}

function resultsIn(message: Message): readonly ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.filter((block) => block.type === 'tool_result')
}

function listOtherBlocks(message: Message): readonly UserBlock[] {
  if (message.type === 'assistant') return []
  if (message.type === 'system')
    return withKind(toBlocks(message.content.trim() === '' ? '' : wrapInReminder(message.content)), 'system')
  if (message.type === 'attachment') return withKind(toBlocks(renderAttachment(message) ?? ''), message.kind)
  return toBlocks(message.content).filter(({ type }) => type !== 'tool_result')
}

const attachmentKinds = new WeakMap<object, string>()

function withKind(blocks: readonly UserBlock[], kind: string): readonly UserBlock[] {
  for (const block of blocks) attachmentKinds.set(block, kind)
  return blocks
}

/** Returns the kind of the attachment that a block was made of, or undefined if the user or a tool wrote it. */
export function attachmentKindOf(block: object): string | undefined {
  return attachmentKinds.get(block)
}

function toBlocks(content: UserMessage['content']): readonly UserBlock[] {
  const blocks: readonly UserBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '')
}
