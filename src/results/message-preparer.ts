import type { Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import { ListProgress } from '../shared/growing-list.js'
import { fitMessageBudget } from './message-budget.js'
import { type MessageResult, sentBlock, sentChars } from './message-result.js'
import { persistResult } from './persist-result.js'
import type { ReplacementLedger } from './replacement-ledger.js'
import { aboveShort, areShort } from './short-results.js'

interface PreparerOptions extends Omit<SettleOptions, 'sentChars'> {
  /** Looks up `maxResultSizeChars`; gets `undefined` if the history does not contain the call. */
  readonly limitOf: (toolName: string | undefined) => number
}

/**
 * Creates the function that prepares the history of every request. Each user message is decided separately and once.
 * Messages must not change afterwards; the same message yields the same object. The same array, grown by new messages,
 * yields the same array with the new messages added.
 */
export function messagePreparer(
  options: PreparerOptions,
): (messages: readonly Message[]) => Promise<readonly Message[]> {
  const prepared = new WeakMap<UserMessage, UserMessage>()
  const progress = new ListProgress<Message>()
  let ready: Message[] = []
  return async (messages) => {
    const done = progress.countDone(messages)
    if (done === 0) ready = []
    const own = ready
    for (let index = done; index < messages.length; index++) {
      const message = messages[index] as Message
      if (message.type !== 'user') {
        own[index] = message
        continue
      }
      const known = prepared.get(message) ?? (await prepare(message, toolNames(message, messages, index), options))
      prepared.set(message, known)
      // The sent form may come back as history; it is already prepared.
      prepared.set(known, known)
      own[index] = known
    }
    if (own === ready) progress.markDone(messages)
    return own
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
    return { block, maxResultSizeChars: aboveShort(limitOf(names.get(block.tool_use_id))) }
  })
  // A short result may have been sent as a preview, by a tool whose limit is lower.
  if (areShort(results) && results.every((result) => settling.ledger.frozen(result) === undefined)) return message
  const settled = (await settleResults(results, settling)).map(sentBlock)
  let next = 0
  return {
    ...message,
    content: content.map((part) => (part.type === 'tool_result' ? (settled[next++] ?? part) : part)),
  }
}

/** Tool names of the results of a message, by id. The nearest call wins, because ids may be reused. */
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

interface SettleOptions {
  readonly directory: string
  readonly ledger: ReplacementLedger
  /** Characters of the same message that were already sent, in addition to the list. */
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
  const judged: MessageResult[] = []
  // One at a time, because each write holds another copy of its text in memory.
  for (const result of results) judged.push(ledger.frozen(result) ?? (await persistResult(result, directory)))
  return ledger.freeze(await fitMessageBudget(judged, { directory, ...budget }))
}

/** A user message whose results are sent one by one. Sent results count against the budget and cannot be replaced. */
export class OpenMessage {
  readonly #options: Omit<SettleOptions, 'sentChars'>
  #sentChars = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: Omit<SettleOptions, 'sentChars'>) {
    this.#options = options
  }

  /** The blocks to send for results that became ready together. Only among these the largest are moved first. */
  send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const sending = this.#last.then(() => this.#send(results))
    this.#last = sending
    return sending
  }

  async #send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const settled = await settleResults(results, { ...this.#options, sentChars: this.#sentChars })
    for (const result of settled) this.#sentChars += sentChars(result)
    return settled.map(sentBlock)
  }
}
