import type { ToolUseBlock } from '../../contract/messages.js'
import { parseArguments } from '../../providers/openai/stream-parts.js'

/** A tool call of OpenAI's Chat Completions API. */
export type OpenAIToolCall =
  | {
      readonly id: string
      readonly type: 'function'
      readonly function: { readonly name: string; readonly arguments: string }
    }
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

/** Converts the tool calls of a message. Invalid arguments are passed on, so that the runtime can report them to the model. */
export function fromOpenAIToolCalls(calls: readonly OpenAIToolCall[] | null | undefined): ToolUseBlock[] {
  return (calls ?? []).map((call) => {
    const { id } = call
    if (call.type === 'custom') return { type: 'tool_use', id, name: call.custom.name, input: call.custom.input }
    return { type: 'tool_use', id, name: call.function.name, input: parseArguments(call.function.arguments) }
  })
}
