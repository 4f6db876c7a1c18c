import { randomUUID } from 'node:crypto'
import type { CallEnded } from '../../../contract/events.js'
import type { AssistantMessage, Message, ToolResultBlock } from '../../../contract/messages.js'
import type { ModelUsage } from '../../../contract/model/model.js'
import type { MessageFacts } from '../../../session/conversation/session-event.js'
import type { OutputBody } from '../schema/output-schema.js'
import { usageOf } from '../turn/turn-result.js'

/** Larger data of a tool is left out of its line: the result for the model has a preview of it. */
const MAX_DATA_CHARS = 1024 * 1024

interface LineContext {
  /** The model of the last request, for messages that do not name theirs. */
  readonly lastModel: string
  /** The call that started the sub-agent; null for the main conversation. */
  readonly parent: string | null
  /** Whether texts and thinking are written. */
  readonly hasText: boolean
}

/** Converts messages to lines: one for each block of the model, and one for each result. */
export class MessageLines {
  /** What the tools of ended calls returned, until the message with their results. */
  readonly #outputs = new Map<string, unknown>()

  addOutput({ toolUseId, output }: CallEnded): void {
    if (output !== undefined) this.#outputs.set(toolUseId, output)
  }

  linesOf(message: Message, facts: MessageFacts, { lastModel, parent, hasText }: LineContext): readonly OutputBody[] {
    if (message.type === 'assistant') {
      const { model = lastModel, usage } = facts
      const { id = `msg_${randomUUID()}`, content } = message
      return content
        .filter(({ type }) => hasText || type === 'tool_use')
        .map((block) => toAssistantLine({ id, model, content: [block], usage }, parent))
    }
    if (message.type !== 'user' || typeof message.content === 'string') return []
    const results = message.content.filter((block) => block.type === 'tool_result')
    return results.map((result) => {
      const output = this.#outputs.get(result.tool_use_id)
      this.#outputs.delete(result.tool_use_id)
      return toResultLine(result, parent, output)
    })
  }
}

interface AssistantParts extends Pick<AssistantMessage, 'content'> {
  readonly id?: string
  readonly model: string
  readonly usage?: ModelUsage | undefined
}

export function toAssistantLine(
  { id = `msg_${randomUUID()}`, model, content, usage }: AssistantParts,
  parent_tool_use_id: string | null,
): OutputBody {
  const message = {
    ...({ id, type: 'message', role: 'assistant', model, content, stop_reason: null, stop_sequence: null } as const),
    ...(usage !== undefined && { usage: usageOf(usage) }),
  }
  return { type: 'assistant', message, parent_tool_use_id, timestamp: new Date().toISOString() }
}

export function toResultLine(result: ToolResultBlock, parent_tool_use_id: string | null, output: unknown): OutputBody {
  const data = result.is_error === true ? describeError(result) : toData(output)
  return {
    ...({ type: 'user', message: { role: 'user', content: [result] }, parent_tool_use_id } as const),
    ...(data !== undefined && { tool_use_result: data }),
    timestamp: new Date().toISOString(),
  }
}

function describeError({ content }: ToolResultBlock): string | undefined {
  return typeof content === 'string' ? `Error: ${content}` : undefined
}

/** Returns the data of a tool; undefined if it cannot be a part of a line. */
function toData(output: unknown): unknown {
  if (output === undefined) return undefined
  try {
    return JSON.stringify(output).length > MAX_DATA_CHARS ? undefined : output
  } catch {
    // It contains a cycle or a value that JSON does not have.
    return undefined
  }
}
