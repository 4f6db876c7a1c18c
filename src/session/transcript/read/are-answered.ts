import type { AssistantMessage, Message } from '../../../contract/messages.js'

/** Fast path: whether the next message has exactly the results of these calls, in order. True for nearly every message. */
export function areAnswered({ content }: AssistantMessage, next: Message | undefined): boolean {
  const answers = next?.type === 'user' && typeof next.content !== 'string' ? next.content : []
  let at = 0
  for (const block of content) {
    if (block.type !== 'tool_use') continue
    const answer = answers[at++]
    if (answer?.type !== 'tool_result' || answer.tool_use_id !== block.id) return false
  }
  return answers.every(({ type }, index) => index < at || type !== 'tool_result')
}
