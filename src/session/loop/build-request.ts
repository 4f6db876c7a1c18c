import type { ToolDefinition } from '../../contract/messages.js'
import type { ModelRequest } from '../../contract/model/model.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import type { Tools } from '../../contract/tool/tool.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import type { QueryOptions } from './query-options.js'

/** What the requests of a conversation are made of. */
export type RequestSource = Pick<
  QueryOptions,
  'runtime' | 'conversation' | 'system' | 'maxOutputTokens' | 'thinking' | 'conversationId'
>

/** The conversation as it is now. Whatever asks about it sends this, so that the provider finds the beginning in its cache. */
export async function buildRequest(source: RequestSource, tools: readonly ToolDefinition[]): Promise<ModelRequest> {
  const { runtime, conversation, system, maxOutputTokens, thinking, conversationId } = source
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
