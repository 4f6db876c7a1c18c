import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from '../../contract/messages.js'
import type { ModelMessage } from '../../contract/model/model.js'
import { attachmentText } from './attachment-text.js'
import { reminder } from './reminder.js'
import { spokenContent } from './spoken-content.js'

type UserBlock = Exclude<UserMessage['content'], string>[number]

/**
 * A conversation as a provider takes it: users and assistant in turns, every call answered in the message after it.
 * What an assistant's message has closed never changes, neither in what it says nor as an object, so that each request
 * has the former as its beginning and what was made of a message once can be kept.
 */
export function toModelMessages(messages: readonly Message[]): readonly ModelMessage[] {
  const turns: ModelMessage[] = []
  let asked: AssistantMessage | undefined
  let group: Message[] = []
  for (const message of messages) {
    if (message.type !== 'assistant') group.push(message)
    const spoken = message.type === 'assistant' ? spokenTurn(message) : undefined
    if (spoken === undefined) continue
    // Providers want the user to begin, and two messages of the assistant never stand side by side.
    turns.push(userTurn(asked, group) ?? NOTHING_SAID, spoken)
    asked = spoken
    group = []
  }
  const last = userTurn(asked, group)
  return last === undefined ? turns : [...turns, last]
}

const NOTHING_SAID: UserMessage = { type: 'user', content: [{ type: 'text', text: reminder('Go on.') }] }

const spokenTurns = new WeakMap<AssistantMessage, AssistantMessage | null>()

/** An assistant's message without what providers refuse; undefined where nothing is left of it. */
function spokenTurn(message: AssistantMessage): AssistantMessage | undefined {
  let turn = spokenTurns.get(message)
  if (turn === undefined) {
    const content = spokenContent(message.content)
    turn = content.length === 0 ? null : content.length === message.content.length ? message : { ...message, content }
    spokenTurns.set(message, turn)
  }
  return turn ?? undefined
}

interface KnownTurn {
  readonly asked: AssistantMessage | undefined
  readonly group: readonly Message[]
  readonly turn: UserMessage | undefined
}

const userTurns = new WeakMap<Message, KnownTurn>()

/** All that stands between two messages of the assistant, as one message of the user. */
function userTurn(asked: AssistantMessage | undefined, group: readonly Message[]): UserMessage | undefined {
  const key = group[0] ?? asked
  if (key === undefined) return undefined
  const known = userTurns.get(key)
  if (known !== undefined && known.asked === asked && areSame(known.group, group)) return known.turn
  const content = [...answers(asked, group), ...group.flatMap(saidBlocks)]
  const turn: UserMessage | undefined = content.length === 0 ? undefined : { type: 'user', content }
  userTurns.set(key, { asked, group, turn })
  return turn
}

function areSame(some: readonly Message[], others: readonly Message[]): boolean {
  return some.length === others.length && some.every((message, index) => message === others[index])
}

/** One answer for each call, in the order of the calls, and none for what was not called. */
function answers(asked: AssistantMessage | undefined, group: readonly Message[]): readonly ToolResultBlock[] {
  if (asked === undefined) return []
  const results = group.flatMap(resultsIn)
  const given = new Map(results.toReversed().map((result) => [result.tool_use_id, result]))
  return callsOf(asked).map(({ id }) => given.get(id) ?? lostResult(id))
}

function lostResult(id: string): ToolResultBlock {
  const content = 'The result of this call was lost: it may have run, in part or as a whole.'
  return { type: 'tool_result', tool_use_id: id, content, is_error: true }
}

function callsOf({ content }: AssistantMessage) {
  return content.filter((block) => block.type === 'tool_use')
}

function resultsIn(message: Message): readonly ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.filter((block) => block.type === 'tool_result')
}

function saidBlocks(message: Message): readonly UserBlock[] {
  if (message.type === 'assistant') return []
  if (message.type === 'system') return blocksOf(message.content.trim() === '' ? '' : reminder(message.content))
  if (message.type === 'attachment') return blocksOf(attachmentText(message) ?? '')
  return blocksOf(message.content).filter(({ type }) => type !== 'tool_result')
}

function blocksOf(content: UserMessage['content']): readonly UserBlock[] {
  const blocks: readonly UserBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '')
}
