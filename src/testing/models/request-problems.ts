import type { ModelMessage } from '../../contract/model/model.js'

/** Returns the problems for which a provider would reject the messages of a request, one line each. */
export function findRequestProblems(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap((message, index) => [
    ...(message.type === (index % 2 === 0 ? 'user' : 'assistant') ? [] : [`${index}: not ${message.type}'s turn`]),
    ...findContentProblems(message).map((problem) => `${index}: ${problem}`),
    ...findResultProblems(message, messages[index + 1]).map((problem) => `${index}: ${problem}`),
    ...(index > 0 || listResultIds(message).length === 0 ? [] : [`${index}: results at the very start`]),
  ])
}

/** Returns a request as a list of single blocks, for comparison with the next request. */
export function flattenBlocks(messages: readonly ModelMessage[]): readonly unknown[] {
  return messages.flatMap(({ type, content }) => {
    const blocks: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return blocks.map((block) => ({ by: type, block }))
  })
}

function findContentProblems({ type, content }: ModelMessage): readonly string[] {
  if (typeof content === 'string') return content.trim() === '' ? ['empty'] : []
  const types = content.map((block) => block.type)
  const hasBlankText = content.some((block) => block.type === 'text' && block.text.trim() === '')
  const firstOtherIndex = types.findIndex((blockType) => blockType !== 'tool_result')
  const hasLateResult = type === 'user' && firstOtherIndex !== -1 && types.lastIndexOf('tool_result') > firstOtherIndex
  return [
    ...(content.length === 0 ? ['empty'] : []),
    ...(hasBlankText ? ['blank text'] : []),
    ...(hasLateResult ? ['a result that does not come first'] : []),
    ...(types.at(-1) === 'thinking' ? ['ends with thinking'] : []),
  ]
}

function findResultProblems(message: ModelMessage, nextMessage: ModelMessage | undefined): readonly string[] {
  if (message.type !== 'assistant') return []
  const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  const problems = new Set(calls).size === calls.length ? [] : ['a duplicate id']
  const results = nextMessage === undefined ? [] : listResultIds(nextMessage)
  return calls.join() === results.join()
    ? problems
    : [...problems, `calls ${calls.join()} answered by ${results.join()}`]
}

function listResultIds({ type, content }: ModelMessage): readonly string[] {
  if (type !== 'user' || typeof content === 'string') return []
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
}
