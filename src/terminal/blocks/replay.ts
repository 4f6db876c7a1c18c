import type { Message, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { formatCounted } from '../../shared/counted.js'
import type { CallFacts } from '../../views/call-view.js'
import type { Transcript } from './transcript.js'

/** Earlier messages of a resumed conversation are only in the transcript view. */
const MAX_MESSAGES = 40

/** Finds the view of a result that was stored when the call ran. */
export type FindShown = (result: ToolResultBlock) => CallFacts['shown']

/** Shows the last messages of a resumed conversation. */
export function replayMessages(messages: readonly Message[], transcript: Transcript, findShown: FindShown): void {
  const hiddenCount = Math.max(0, messages.length - MAX_MESSAGES)
  if (hiddenCount > 0)
    transcript.addNotice('info', `${formatCounted(hiddenCount, 'earlier message')}: Ctrl+O shows them.`)
  for (const [index, message] of messages.entries())
    if (index >= hiddenCount) replayMessage(message, findResultsAfter(messages, index), transcript, findShown)
  transcript.endTurn()
}

function replayMessage(
  message: Message,
  results: ReadonlyMap<string, ToolResultBlock>,
  transcript: Transcript,
  findShown: FindShown,
): void {
  if (message.type === 'user') {
    const text = textOfPrompt(message)
    if (text !== '') transcript.addPrompt(text)
  } else if (message.type === 'assistant') {
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() !== '') transcript.addMarkdown(block.text)
      else if (block.type === 'tool_use') replayCall(block, results.get(block.id), transcript, findShown)
    }
  }
}

function replayCall(
  { id, name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
  transcript: Transcript,
  findShown: FindShown,
): void {
  const call = transcript.createCall(id, name)
  call.setInput(input)
  if (result === undefined) call.discard()
  else call.end(result, undefined, findShown(result))
  transcript.addEndedCall(call)
}

/** Returns the text of a prompt, without the results of calls. */
export function textOfPrompt({ content }: Extract<Message, { type: 'user' }>): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Returns the results of the calls in a message. The search ends at the next answer, because some providers reuse call ids. */
export function findResultsAfter(messages: readonly Message[], index: number): ReadonlyMap<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>()
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined) continue
    if (message.type === 'assistant') break
    if (message.type !== 'user' || typeof message.content === 'string') continue
    for (const block of message.content) if (block.type === 'tool_result') results.set(block.tool_use_id, block)
  }
  return results
}
