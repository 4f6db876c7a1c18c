import type { Message, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { formatCount } from './format.js'
import type { Transcript } from './transcript.js'

/** Messages of a resumed conversation that are shown again. The rest is in the transcript view. */
const MAX_MESSAGES = 40

/** Shows the end of a conversation that continues. */
export function replayMessages(messages: readonly Message[], transcript: Transcript): void {
  const hidden = Math.max(0, messages.length - MAX_MESSAGES)
  if (hidden > 0) transcript.addNotice('info', `${formatCount(hidden, 'earlier message')}: Ctrl+O shows them.`)
  const results = collectResults(messages)
  for (const message of messages.slice(hidden)) replayMessage(message, results, transcript)
  transcript.endTurn()
}

function replayMessage(message: Message, results: ReadonlyMap<string, ToolResultBlock>, transcript: Transcript): void {
  if (message.type === 'user') {
    const text = textOfPrompt(message)
    if (text !== '') transcript.addPrompt(text)
  } else if (message.type === 'assistant') {
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() !== '') transcript.addMarkdown(block.text)
      else if (block.type === 'tool_use') replayCall(block, results.get(block.id), transcript)
    }
  }
}

function replayCall({ id, name, input }: ToolUseBlock, result: ToolResultBlock | undefined, transcript: Transcript) {
  const call = transcript.createCall(id, name)
  call.setInput(input)
  if (result === undefined) call.discard()
  else call.end(result)
  transcript.addEndedCall(call)
}

/** The text of a prompt, without the results of calls. */
export function textOfPrompt({ content }: Extract<Message, { type: 'user' }>): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

export function collectResults(messages: readonly Message[]): ReadonlyMap<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>()
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.content === 'string') continue
    for (const block of message.content) if (block.type === 'tool_result') results.set(block.tool_use_id, block)
  }
  return results
}
