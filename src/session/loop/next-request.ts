import type { ToolDefinition } from '../../contract/messages.js'
import type { Model, ModelRequest } from '../../contract/model.js'
import type { Tools } from '../../contract/tool.js'
import { isMcpTool } from '../../contract/tool-identity.js'
import { addMessage } from '../add-message.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import type { SessionEvent } from '../session-event.js'
import type { QueryOptions } from './query-options.js'

/** The pool, and the conversation as it is now, for a model. */
export async function* nextRequest(
  { runtime, conversation, announce, system, maxOutputTokens, thinking, conversationId }: QueryOptions,
  model: Model,
): AsyncGenerator<SessionEvent, ModelRequest> {
  const tools = await runtime.definitions(model.facts)
  const ofTools = await runtime.announce(conversation.messages)
  const news = [...(ofTools === undefined ? [] : [ofTools]), ...(announce?.(conversation.messages) ?? [])]
  for (const message of news) yield addMessage(conversation, message)
  const messages = toModelMessages(await runtime.prepareMessages(conversation.messages))
  return {
    system,
    tools,
    builtInTools: countBuiltIn(tools, runtime.pool),
    messages,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking !== undefined && { thinking }),
    ...(conversationId !== undefined && { conversationId }),
  }
}

/** How many of the tools, from the first, are built in. */
function countBuiltIn(tools: readonly ToolDefinition[], pool: Tools): number {
  const names = builtInNames(pool)
  const first = tools.findIndex(({ name }) => !names.has(name))
  return first === -1 ? tools.length : first
}

const namesOfPools = new WeakMap<Tools, ReadonlySet<string>>()

/** The pool is the same array while nothing changes. */
function builtInNames(pool: Tools): ReadonlySet<string> {
  let names = namesOfPools.get(pool)
  if (names === undefined) {
    names = new Set(pool.flatMap((tool) => (isMcpTool(tool) ? [] : [tool.name])))
    namesOfPools.set(pool, names)
  }
  return names
}
