import type { Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import { ListProgress } from '../shared/growing-list.js'
import { fitMessageBudget } from './message-budget.js'
import { type MessageResult, sentBlock, sentChars } from './message-result.js'
import { persistResult } from './persist-result.js'
import type { ReplacementLedger } from './replacement-ledger.js'
import { areShort } from './short-results.js'

interface PreparerOptions extends Omit<SettleOptions, 'sentChars'> {
  /** `maxResultSizeChars` of a tool; it is asked for `undefined` where the history does not tell the tool. */
  readonly limitOf: (toolName: string | undefined) => number
}

/**
 * Makes the function that every request's history goes through: each user message is judged alone and once.
 * Messages must not change after they were given; the same message gives the same object. The same array, grown by new
 * messages, gives the same array with the new messages added.
 */
export function messagePreparer(
  options: PreparerOptions,
): (messages: readonly Message[]) => Promise<readonly Message[]> {
  const prepared = new WeakMap<UserMessage, UserMessage>()
  const progress = new ListProgress<Message>()
  let ready: Message[] = []
  return async (messages) => {
    const done = progress.done(messages)
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
      // What was sent may come back as history: it is settled, too.
      prepared.set(known, known)
      own[index] = known
    }
    if (own === ready) progress.reach(messages)
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
    return { block, maxResultSizeChars: limitOf(names.get(block.tool_use_id)) }
  })
  if (areShort(results)) return message
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

interface SettleOptions {
  readonly directory: string
  readonly ledger: ReplacementLedger
  /** Characters of the same message that the model has already, beside those in the list. */
  readonly sentChars?: number
  readonly limit?: number
}

/**
 * Decides how the results of one user message are sent, and freezes it.
 * Those that were sent before come back as they were; the others are judged one by one, then together. Never rejects.
 */
export async function settleResults(
  results: readonly MessageResult[],
  { directory, ledger, ...budget }: SettleOptions,
): Promise<readonly MessageResult[]> {
  const judged: MessageResult[] = []
  // One at a time: each write holds its whole text in memory once more.
  for (const result of results) judged.push(ledger.frozen(result) ?? (await persistResult(result, directory)))
  return ledger.freeze(await fitMessageBudget(judged, { directory, ...budget }))
}

/** A user message whose results go out one after the other: what is out counts, and can no longer be replaced. */
export class OpenMessage {
  readonly #options: Omit<SettleOptions, 'sentChars'>
  #sentChars = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: Omit<SettleOptions, 'sentChars'>) {
    this.#options = options
  }

  /** The blocks to write now, for results that became ready together; largest first among these alone. */
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
