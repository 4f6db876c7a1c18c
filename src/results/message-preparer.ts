import type { Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import { type MessageResult, sentBlock } from './message-result.js'
import { type SettleOptions, settleResults } from './settle-results.js'

export interface PreparerOptions extends Omit<SettleOptions, 'sentChars'> {
  /** `maxResultSizeChars` of a tool; it is asked for `undefined` where the history does not tell the tool. */
  readonly limitOf: (toolName: string | undefined) => number
}

/**
 * Makes the function that every request's history goes through: each user message is judged alone and once.
 * Messages must not change after they were given; the same message gives the same object.
 */
export function messagePreparer(
  options: PreparerOptions,
): (messages: readonly Message[]) => Promise<readonly Message[]> {
  const prepared = new WeakMap<UserMessage, UserMessage>()
  return async (messages) => {
    const ready: Message[] = []
    for (const [index, message] of messages.entries()) {
      if (message.type !== 'user') {
        ready.push(message)
        continue
      }
      const known = prepared.get(message) ?? (await prepare(message, toolNames(message, messages, index), options))
      prepared.set(message, known)
      // What was sent may come back as history: it is settled, too.
      prepared.set(known, known)
      ready.push(known)
    }
    return ready
  }
}

async function prepare(
  message: UserMessage,
  names: ReadonlyMap<string, string>,
  { limitOf, ...settling }: PreparerOptions,
): Promise<UserMessage> {
  const { content } = message
  if (typeof content === 'string') return message
  const blocks = resultsOf(message)
  if (blocks.length === 0) return message
  const results = blocks.map((block): MessageResult => {
    return { block, maxResultSizeChars: limitOf(names.get(block.tool_use_id)) }
  })
  const settled = (await settleResults(results, settling)).map(sentBlock)
  let next = 0
  return {
    ...message,
    content: content.map((part) => (part.type === 'tool_result' ? (settled[next++] ?? part) : part)),
  }
}

/** The tools behind the results of a message, by id: nearest call first, because an id may be used again. */
function toolNames(message: UserMessage, messages: readonly Message[], index: number): ReadonlyMap<string, string> {
  const wanted = new Set(resultsOf(message).map((block) => block.tool_use_id))
  const names = new Map<string, string>()
  for (let at = index - 1; at >= 0 && wanted.size > 0; at--) {
    const earlier = messages[at]
    if (earlier?.type !== 'assistant') continue
    for (const part of earlier.content) {
      if (part.type === 'tool_use' && wanted.delete(part.id)) names.set(part.id, part.name)
    }
  }
  return names
}

function resultsOf({ content }: UserMessage): readonly ToolResultBlock[] {
  return typeof content === 'string' ? [] : content.filter((part) => part.type === 'tool_result')
}
