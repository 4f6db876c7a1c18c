import { importPeer } from './import-peer.mjs'

/** Returns a turn of LangGraph: a `ToolNode` that receives a message with calls. */
export async function langgraph() {
  const { ToolNode } = await importPeer('@langchain/langgraph/prebuilt')
  const { AIMessage } = await importPeer('@langchain/core/messages')
  const { tool } = await importPeer('@langchain/core/tools')
  const z = await importPeer('zod')
  const noop = tool(async () => 'ok', {
    name: 'noop',
    description: 'Does nothing',
    schema: z.object({ value: z.string() }),
  })
  const node = new ToolNode([noop])
  return async (/** @type {number} */ count) => {
    const calls = Array.from({ length: count }, (_, index) => ({
      ...{ type: 'tool_call', id: `call-${index}`, name: 'noop', args: { value: 'a' } },
    }))
    const { messages } = await node.invoke({ messages: [new AIMessage({ content: '', tool_calls: calls })] })
    return messages.length
  }
}
