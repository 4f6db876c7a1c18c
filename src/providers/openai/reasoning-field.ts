import type { ThinkingBlock } from '../../contract/messages.js'

/** The fields in which servers that speak OpenAI's protocol tell what a model thinks. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

export type ReasoningField = (typeof REASONING_FIELDS)[number]

/** The field that thinking came in, which its id tells; undefined for thinking that came in another way. */
export function reasoningFieldOf({ id }: ThinkingBlock): ReasoningField | undefined {
  return REASONING_FIELDS.find((field) => field === id)
}
