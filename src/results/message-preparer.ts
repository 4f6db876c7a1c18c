import type { Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import { ListProgress } from '../shared/growing-list.js'
import { fitMessageBudget } from './message-budget.js'
import { areResultsShort, type MessageResult, raiseLimitToShort, sentChars, toSentBlock } from './message-result.js'
import { persistResult } from './persist-result.js'
import type { ReplacementLedger } from './replacement-ledger.js'

interface PreparerOptions extends Omit<SettleOptions, 'sentChars'> {
  /**
   * Looks up the `maxResultSizeChars` of a tool, once for each tool of a message. The name is undefined if the history does
   * not contain the call.
   */
  readonly limitOf: (toolName: string | undefined) => number
}

/**
 * Creates the function that prepares the history of every request. How a user message is sent is decided only once and
 * independently of other messages. Messages must not change afterwards; the same message yields the same object.
 * The same array, grown by new messages, yields the same array with the new messages added.
 */
export function createMessagePreparer(
  options: PreparerOptions,
): (messages: readonly Message[]) => Promise<readonly Message[]> {
  const preparedMessages = new WeakMap<UserMessage, UserMessage>()
  const progress = new ListProgress<Message>()
  let readyMessages: Message[] = []
  return async (messages) => {
    const doneCount = progress.countDone(messages)
    if (doneCount === 0) readyMessages = []
    const output = readyMessages
    for (let index = doneCount; index < messages.length; index++) {
      const message = messages[index] as Message
      if (message.type !== 'user') {
        output[index] = message
        continue
      }
      const preparedMessage =
        preparedMessages.get(message) ?? (await prepare(message, findToolNames(message, messages, index), options))
      preparedMessages.set(message, preparedMessage)
      // A prepared message that is passed in again as history is returned unchanged.
      if (preparedMessage !== message) preparedMessages.set(preparedMessage, preparedMessage)
      output[index] = preparedMessage
    }
    if (output === readyMessages) progress.markDone(messages)
    return output
  }
}

async function prepare(
  message: UserMessage,
  names: ReadonlyMap<string, string>,
  { limitOf, ...settleOptions }: PreparerOptions,
): Promise<UserMessage> {
  const { content } = message
  if (typeof content === 'string') return message
  const blocks = filterResults(message)
  if (blocks.length === 0) return message
  const limits = new Map<string | undefined, number>()
  const results = blocks.map((block): MessageResult => {
    const name = names.get(block.tool_use_id)
    const maxResultSizeChars = limits.get(name) ?? raiseLimitToShort(limitOf(name))
    limits.set(name, maxResultSizeChars)
    return { block, maxResultSizeChars }
  })
  // A short result may already have been sent as a preview, because the limit of its tool was even lower.
  if (areResultsShort(results) && results.every((result) => settleOptions.ledger.findFrozen(result) === undefined))
    return message
  const settledBlocks = (await settleResults(results, settleOptions)).map(toSentBlock)
  let nextIndex = 0
  return {
    ...message,
    content: content.map((block) => (block.type === 'tool_result' ? (settledBlocks[nextIndex++] ?? block) : block)),
  }
}

/**
 * Returns the names of the tools whose results are in a message, by call id. The nearest call is used, because ids may
 * be reused.
 */
function findToolNames(message: UserMessage, messages: readonly Message[], index: number): ReadonlyMap<string, string> {
  const results = filterResults(message)
  const names = new Map<string, string>()
  const isUnnamed = ({ tool_use_id }: ToolResultBlock) => !names.has(tool_use_id)
  for (let at = index - 1; at >= 0 && results.some(isUnnamed); at--) {
    const earlierMessage = messages[at]
    if (earlierMessage?.type !== 'assistant') continue
    for (const block of earlierMessage.content) {
      if (block.type === 'tool_use' && !names.has(block.id)) names.set(block.id, block.name)
    }
  }
  return names
}

function filterResults({ content }: UserMessage): readonly ToolResultBlock[] {
  return typeof content === 'string' ? [] : content.filter((block) => block.type === 'tool_result')
}

interface SettleOptions {
  readonly directory: string
  readonly ledger: ReplacementLedger
  /** Characters of the same message that were already sent and are not in the list of results. */
  readonly sentChars?: number
  readonly limit?: number
}

/**
 * Decides how the results of one user message are sent, and records it. Results that were sent before are returned as
 * they were; the others are limited one by one, then together. Never rejects.
 */
export async function settleResults(
  results: readonly MessageResult[],
  { directory, ledger, ...budget }: SettleOptions,
): Promise<readonly MessageResult[]> {
  const limitedResults: MessageResult[] = []
  // One at a time, because each write holds another copy of its text in memory.
  for (const result of results)
    limitedResults.push(ledger.findFrozen(result) ?? (await persistResult(result, directory)))
  return ledger.freeze(await fitMessageBudget(limitedResults, { directory, ...budget }))
}

/** A user message whose results are sent one by one. Sent results count against the budget and cannot be replaced. */
export class OpenMessage {
  readonly #options: Omit<SettleOptions, 'sentChars'>
  #sentChars = 0
  #lastSend: Promise<unknown> = Promise.resolve()

  constructor(options: Omit<SettleOptions, 'sentChars'>) {
    this.#options = options
  }

  /**
   * Returns the blocks to send for results that became ready together. If they exceed the message budget, the
   * largest are saved to files.
   */
  send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const sendPromise = this.#lastSend.then(() => this.#send(results))
    this.#lastSend = sendPromise
    return sendPromise
  }

  async #send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const settledResults = await settleResults(results, { ...this.#options, sentChars: this.#sentChars })
    for (const result of settledResults) this.#sentChars += sentChars(result)
    return settledResults.map(toSentBlock)
  }
}
