import type { ToolResultBlock } from '../contract/messages.js'
import { resultText } from './result-text.js'

/** An empty result in words: a model that is handed nothing tends to stop short. */
export function sayEmpty(block: ToolResultBlock): ToolResultBlock {
  const { content } = block
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return block
  const text = resultText(block)
  if (/\S/.test(text)) return block
  const outcome = block.is_error === true ? 'The call failed' : 'The call succeeded'
  const output = text === '' ? 'gave no output' : 'its output is only white space'
  return { ...block, content: `(${outcome} and ${output}.)` }
}
