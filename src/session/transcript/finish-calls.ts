import type { Message, TextBlock, ToolResultBlock, ToolResultContent, ToolUseBlock } from '../../contract/messages.js'
import { reminder, toolMessage } from '../messages/attachments.js'
import { areAnswered } from './are-answered.js'
import type { CallFate, EarlyCall, SessionRecord } from './read-session.js'

/** A call whose end nobody saw. */
export interface UnfinishedCall {
  readonly toolUseId: string
  readonly toolName: string
  readonly fate: Exclude<CallFate['kind'], 'ended'>
}

export interface FinishedMessages {
  /** Every call has its result, and every result its call: what a provider demands. */
  readonly messages: readonly Message[]
  readonly unfinished: readonly UnfinishedCall[]
}

type Words = Readonly<Record<UnfinishedCall['fate'] | 'early', string>>

/** What the model reads in place of a result. */
const CUT_OFF: Words = {
  started:
    'Haft ended while this call was running, so its result is not known. It may have taken effect in whole, in part or not at all. Check before you repeat it.',
  asked: 'Haft ended while this call waited for permission, so it was not run.',
  unstarted: 'Haft ended before this call began, so it was not run.',
  unknown:
    'Haft ended while it could not write down what happened, so it is not known whether this call was run. It may have taken effect. Check before you repeat it.',
  early:
    'Haft ended while your last message was still being written. Its calls that had begun by then, and what became of them:',
}

/** The same in a copy of a session that another process still works on. */
const STILL_OPEN: Words = {
  started:
    'This call was still running when this conversation was copied, so its result is not known here. It goes on in the other session. Check before you repeat it.',
  asked: 'This call waited for permission when this conversation was copied. It may still be run in the other session.',
  unstarted: 'This call had not begun when this conversation was copied. It may still be run in the other session.',
  unknown:
    'When this conversation was copied, it was not written down whether this call was run. It may have taken effect. Check before you repeat it.',
  early:
    'This conversation was copied while your last message was still being written in the other session. Its calls that had begun by then, and what became of them:',
}

/** Gives each call of a session that was cut off the result it had, or words for what became of it. Runs nothing. */
export function finishCalls(
  record: Pick<SessionRecord, 'messages' | 'fateOf' | 'earlyCalls'>,
  { isCopyOfOpen = false }: { readonly isCopyOfOpen?: boolean } = {},
): FinishedMessages {
  const told = isCopyOfOpen ? STILL_OPEN : CUT_OFF
  const { fateOf, earlyCalls } = record
  const messages: Message[] = []
  const unfinished: UnfinishedCall[] = []
  const conclude = (id: string, toolName: string, fate: CallFate): ToolResultBlock => {
    if (fate.kind === 'ended') return { ...fate.result, tool_use_id: id }
    unfinished.push({ toolUseId: id, toolName, fate: fate.kind })
    return { type: 'tool_result', tool_use_id: id, content: told[fate.kind], is_error: true }
  }
  const known = record.messages.filter((message) => message !== undefined)
  for (let at = 0; at < known.length; ) {
    const message = known[at++]
    if (message === undefined) break
    // What stands before the first answer can be no result.
    if (message.type !== 'assistant') {
      messages.push(...withoutResults(message, NO_CALLS))
      continue
    }
    messages.push(message)
    const end = nextAnswer(known, at)
    const calls = message.content.filter((block) => block.type === 'tool_use')
    if (end === at + 1 && areAnswered(message, known[at])) messages.push(...known.slice(at, end))
    else {
      const fate = (call: ToolUseBlock) => conclude(call.id, call.name, fateOf(message, call.id))
      messages.push(...matchResults(calls, known.slice(at, end), fate))
    }
    at = end
  }
  if (earlyCalls.length > 0) messages.push(tellEarly(told.early, earlyCalls, conclude))
  return { messages, unfinished }
}

const NO_CALLS: ReadonlySet<string> = new Set()

function nextAnswer(messages: readonly Message[], from: number): number {
  let at = from
  while (at < messages.length && messages[at]?.type !== 'assistant') at++
  return at
}

/** Puts the missing results into the message that has the others, or into one of their own. The same objects where nothing is missing. */
function matchResults(
  calls: readonly ToolUseBlock[],
  later: readonly Message[],
  conclude: (call: ToolUseBlock) => ToolResultBlock,
): readonly Message[] {
  const ids = new Set(calls.map(({ id }) => id))
  const answered = new Set(later.flatMap(resultsOf).map((block) => block.tool_use_id))
  const missing = calls.filter(({ id }) => !answered.has(id)).map(conclude)
  const kept = later.flatMap((message) => withoutResults(message, ids))
  if (missing.length === 0) return kept
  const place = kept.findIndex((message) => resultsOf(message).length > 0)
  const found = kept[place]
  if (found?.type !== 'user' || typeof found.content === 'string') return [{ type: 'user', content: missing }, ...kept]
  return kept.with(place, { ...found, content: [...missing, ...found.content] })
}

function resultsOf(message: Message): readonly ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.filter((block) => block.type === 'tool_result')
}

/** Results whose calls are lost are told apart from the user's words: providers refuse a result without its call. */
function withoutResults(message: Message, calls: ReadonlySet<string>): readonly Message[] {
  const lost = resultsOf(message).filter((block) => !calls.has(block.tool_use_id))
  if (lost.length === 0 || message.type !== 'user' || typeof message.content === 'string') return [message]
  const content = message.content.filter((block) => block.type !== 'tool_result' || calls.has(block.tool_use_id))
  const told = tellLost(lost)
  return content.length === 0 ? [told] : [{ ...message, content }, told]
}

function tellLost(lost: readonly ToolResultBlock[]): Message {
  const intro = text('The results of calls that are not in the transcript any more:')
  return toolMessage({ type: 'user', content: [intro, ...lost.flatMap(asUserContent)] })
}

/** Calls that ran before their message was whole: the message cannot be made up, as providers sign what they say. */
function tellEarly(
  words: string,
  calls: readonly EarlyCall[],
  conclude: (id: string, toolName: string, fate: CallFate) => ToolResultBlock,
): Message {
  const content = calls.flatMap(({ id, toolName, input, fate }) => [
    text(`${toolName}(${inputText(input)}):`),
    ...asUserContent(conclude(id, toolName, fate)),
  ])
  const intro = text(reminder(words))
  return toolMessage({ type: 'user', content: [intro, ...content] })
}

const LONGEST_INPUT = 2_000

function inputText(input: unknown): string {
  const json = JSON.stringify(input) ?? ''
  return json.length <= LONGEST_INPUT ? json : `${json.slice(0, LONGEST_INPUT)}…`
}

function asUserContent({
  content,
}: ToolResultBlock): readonly Exclude<ToolResultContent, { type: 'tool_reference' }>[] {
  if (typeof content === 'string') return [text(content)]
  return content.flatMap((block) => (block.type === 'tool_reference' ? [] : [block]))
}

function text(words: string): TextBlock {
  return { type: 'text', text: words }
}
