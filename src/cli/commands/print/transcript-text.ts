import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from '../../../contract/messages.js'
import { printable } from '../../../shared/printable.js'
import { resultText } from '../call/result-text.js'

const MAX_INPUT_CHARS = 300
const MAX_RESULT_LINES = 8
const MAX_LINE_CHARS = 300

/** A conversation as a person reads it, part by part: long inputs and results are cut. */
export function* transcriptText(messages: readonly (Message | undefined)[]): Generator<string, void> {
  for (const message of messages) {
    if (message === undefined) yield '[a message that cannot be read any more]\n\n'
    else if (message.type === 'user') yield userText(message)
    else if (message.type === 'assistant') yield assistantText(message)
    else if (message.type === 'system') yield `[${lines(message.content)}]\n\n`
  }
}

function userText({ content }: UserMessage): string {
  if (typeof content === 'string') return prompt(content)
  return content
    .map((block) => {
      if (block.type === 'text') return prompt(block.text)
      return block.type === 'tool_result' ? resultLines(block) : `> [${block.type}]\n\n`
    })
    .join('')
}

function prompt(text: string): string {
  return `${lines(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}\n\n`
}

function assistantText({ content }: AssistantMessage): string {
  return content
    .map((block) => {
      if (block.type === 'text') return block.text.trim() === '' ? '' : `${lines(block.text.trim())}\n\n`
      if (block.type !== 'tool_use') return ''
      return `● ${printable(block.name)} ${cut(printable(JSON.stringify(block.input) ?? ''), MAX_INPUT_CHARS)}\n\n`
    })
    .join('')
}

function resultLines(block: ToolResultBlock): string {
  const all = lines(resultText(block).trimEnd()).split('\n')
  const shown = all.slice(0, MAX_RESULT_LINES).map((line) => cut(line, MAX_LINE_CHARS))
  const more = all.length - shown.length
  const [first = '', ...rest] = [...shown, ...(more > 0 ? [`[${more} more lines]`] : [])]
  return `${[`  ⎿ ${block.is_error === true ? 'error: ' : ''}${first}`, ...rest.map((line) => `    ${line}`)].join('\n')}\n\n`
}

/** Text of others must not draw on the terminal. */
function lines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => printable(line.replaceAll('\t', '  ')))
    .join('\n')
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}…`
}
