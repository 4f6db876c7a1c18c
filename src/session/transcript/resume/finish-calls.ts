import type {
  Message,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
  ToolUseBlock,
} from '../../../contract/messages.js'
import { cutText } from '../../../shared/cut-text.js'
import { toToolMessage, wrapInReminder } from '../../messages/attachments.js'
import {
  areAnswered,
  type EarlyCall,
  type NestedCall,
  type RecordedOutcome,
  type SessionRecord,
} from '../read/read-session.js'

/** A call whose result was not recorded. */
export interface UnfinishedCall {
  readonly toolUseId: string
  readonly toolName: string
  readonly outcome: Exclude<RecordedOutcome['kind'], 'ended'>
}

export interface FinishedMessages {
  /** Every call has its result and every result its call, as providers require. */
  readonly messages: readonly Message[]
  readonly unfinishedCalls: readonly UnfinishedCall[]
}

type OutcomeTexts = Readonly<Record<UnfinishedCall['outcome'] | 'early', string>>

/** The texts that the model receives in place of a result. */
const INTERRUPTED_TEXTS: OutcomeTexts = {
  started:
    'Haft ended while this call was running, so its result is not known. It may have taken effect in whole, in part or not at all. Check before you repeat it.',
  asked: 'Haft ended while this call was waiting for permission, so it was not run.',
  unstarted: 'Haft ended before this call started, so it was not run.',
  unknown:
    'Haft ended while it could not record what happened, so it is not known whether this call was run. It may have taken effect. Check before you repeat it.',
  early:
    'Haft ended while your last message was still being written. These calls had started by then, with these results:',
}

/** The texts for a copy of a session that another process still has open. */
const COPY_TEXTS: OutcomeTexts = {
  started:
    'This call was still running when this conversation was copied, so its result is not known here. It continues in the other session. Check before you repeat it.',
  asked:
    'This call was waiting for permission when this conversation was copied. It may still be run in the other session.',
  unstarted: 'This call had not started when this conversation was copied. It may still be run in the other session.',
  unknown:
    'When this conversation was copied, it was not recorded whether this call was run. It may have taken effect. Check before you repeat it.',
  early:
    'This conversation was copied while your last message was still being written in the other session. These calls had started by then, with these results:',
}

/** Adds the missing results to an interrupted session: the recorded result, or a text about the outcome. No call is run. */
export function finishCalls(
  record: Pick<SessionRecord, 'messages' | 'outcomeOf' | 'earlyCalls'>,
  { isCopyOfOpen = false }: { readonly isCopyOfOpen?: boolean } = {},
): FinishedMessages {
  const texts = isCopyOfOpen ? COPY_TEXTS : INTERRUPTED_TEXTS
  const { outcomeOf, earlyCalls } = record
  const messages: Message[] = []
  const unfinishedCalls: UnfinishedCall[] = []
  const toResult = (id: string, toolName: string, outcome: RecordedOutcome): ToolResultBlock => {
    if (outcome.kind === 'ended') return { ...outcome.result, tool_use_id: id }
    unfinishedCalls.push({ toolUseId: id, toolName, outcome: outcome.kind })
    const nestedCalls = outcome.kind === 'started' ? outcome.nestedCalls : []
    const content = [texts[outcome.kind], ...describeNestedCalls(nestedCalls)].join('\n')
    return { type: 'tool_result', tool_use_id: id, content, is_error: true }
  }
  const readableMessages = record.messages.filter((message) => message !== undefined)
  for (let at = 0; at < readableMessages.length; ) {
    const message = readableMessages[at++]
    if (message === undefined) break
    // There are no calls before the first assistant message, so results here have no call.
    if (message.type !== 'assistant') {
      messages.push(...separateLostResults(message, NO_CALLS))
      continue
    }
    messages.push(message)
    const end = findNextAssistantIndex(readableMessages, at)
    const calls = message.content.filter((block) => block.type === 'tool_use')
    if (end === at + 1 && areAnswered(message, readableMessages[at])) messages.push(...readableMessages.slice(at, end))
    else {
      const resultOf = (call: ToolUseBlock) => toResult(call.id, call.name, outcomeOf(message, call.id))
      messages.push(...matchResults(calls, readableMessages.slice(at, end), resultOf))
    }
    at = end
  }
  if (earlyCalls.length > 0) messages.push(createEarlyCallsMessage(texts.early, earlyCalls, toResult))
  return { messages, unfinishedCalls }
}

const NO_CALLS: ReadonlySet<string> = new Set()

function findNextAssistantIndex(messages: readonly Message[], from: number): number {
  let at = from
  while (at < messages.length && messages[at]?.type !== 'assistant') at++
  return at
}

/** Adds the missing results to the message with the other results. If there is no such message, adds a new first one. */
function matchResults(
  calls: readonly ToolUseBlock[],
  followingMessages: readonly Message[],
  toResult: (call: ToolUseBlock) => ToolResultBlock,
): readonly Message[] {
  const ids = new Set(calls.map(({ id }) => id))
  const answeredIds = new Set(followingMessages.flatMap(resultsOf).map((block) => block.tool_use_id))
  const missingResults = calls.filter(({ id }) => !answeredIds.has(id)).map(toResult)
  const matchedMessages = followingMessages.flatMap((message) => separateLostResults(message, ids))
  if (missingResults.length === 0) return matchedMessages
  const resultsIndex = matchedMessages.findIndex((message) => resultsOf(message).length > 0)
  const resultsMessage = matchedMessages[resultsIndex]
  if (resultsMessage?.type !== 'user' || typeof resultsMessage.content === 'string')
    return [{ type: 'user', content: missingResults }, ...matchedMessages]
  return matchedMessages.with(resultsIndex, {
    ...resultsMessage,
    content: [...missingResults, ...resultsMessage.content],
  })
}

function resultsOf(message: Message): readonly ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.filter((block) => block.type === 'tool_result')
}

/** Moves results without a call into a separate message as text, because providers reject a result without its call. */
function separateLostResults(message: Message, calls: ReadonlySet<string>): readonly Message[] {
  const lostResults = resultsOf(message).filter((block) => !calls.has(block.tool_use_id))
  if (lostResults.length === 0 || message.type !== 'user' || typeof message.content === 'string') return [message]
  const content = message.content.filter((block) => block.type !== 'tool_result' || calls.has(block.tool_use_id))
  const lostMessage = createLostResultsMessage(lostResults)
  return content.length === 0 ? [lostMessage] : [{ ...message, content }, lostMessage]
}

function createLostResultsMessage(lostResults: readonly ToolResultBlock[]): Message {
  const intro = createTextBlock('Results of calls that are no longer in the transcript:')
  return toToolMessage({ type: 'user', content: [intro, ...lostResults.flatMap(asUserContent)] })
}

/** Reports calls that ran before their message was complete. The message itself cannot be reconstructed, because providers sign its content. */
function createEarlyCallsMessage(
  intro: string,
  calls: readonly EarlyCall[],
  toResult: (id: string, toolName: string, outcome: RecordedOutcome) => ToolResultBlock,
): Message {
  const content = calls.flatMap(({ id, toolName, input, outcome }) => [
    createTextBlock(`${toolName}(${formatInput(input)}):`),
    ...asUserContent(toResult(id, toolName, outcome)),
  ])
  const heading = createTextBlock(wrapInReminder(intro))
  return toToolMessage({ type: 'user', content: [heading, ...content] })
}

const MAX_INPUT_CHARS = 2_000

function formatInput(input: unknown, maxChars = MAX_INPUT_CHARS): string {
  return shorten(JSON.stringify(input) ?? '', maxChars)
}

function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars)}…`
}

const MAX_LISTED_NESTED_CALLS = 50
const MAX_NESTED_CHARS = 300

/** Lists the calls that a running call had made, so that the model repeats none that has ended. */
function describeNestedCalls(calls: readonly NestedCall[]): readonly string[] {
  if (calls.length === 0) return []
  const titleOf = ({ toolName, input }: NestedCall) => `- ${toolName}(${formatInput(input, MAX_NESTED_CHARS)})`
  const endedLines = calls.flatMap((call) => {
    if (call.result === undefined) return []
    const outcome = call.result.is_error === true ? 'failed' : 'ended'
    return [`${titleOf(call)} ${outcome}: ${shorten(readText(call.result), MAX_NESTED_CHARS)}`]
  })
  const runningLines = calls.flatMap((call) =>
    call.result === undefined ? [`${titleOf(call)} was running. It is not known whether it took effect.`] : [],
  )
  const omittedCount = Math.max(0, endedLines.length - MAX_LISTED_NESTED_CALLS)
  return [
    'It had made these calls. Do not repeat those that have ended.',
    ...(omittedCount === 0 ? [] : [`- ${omittedCount} calls that have ended are not listed here.`]),
    ...endedLines.slice(omittedCount),
    ...runningLines,
  ]
}

function readText(result: ToolResultBlock): string {
  return asUserContent(result)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
}

function asUserContent({
  content,
}: ToolResultBlock): readonly Exclude<ToolResultContent, { type: 'tool_reference' }>[] {
  if (typeof content === 'string') return [createTextBlock(content)]
  return content.flatMap((block) => (block.type === 'tool_reference' ? [] : [block]))
}

function createTextBlock(content: string): TextBlock {
  return { type: 'text', text: content }
}
