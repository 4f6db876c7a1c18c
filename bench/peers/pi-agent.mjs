import { importPeer } from './import-peer.mjs'

/** `runAgentLoop` with a stream of our own: one answer with calls, then one with text. Nobody listens to its events, which is the cheapest it can do. */
export async function piAgent() {
  const { runAgentLoop } = await importPeer('@earendil-works/pi-agent-core')
  const { createAssistantMessageEventStream, Type } = await importPeer('@earendil-works/pi-ai')
  const noop = {
    ...{ name: 'noop', label: 'noop', description: 'Does nothing' },
    parameters: Type.Object({ value: Type.String() }),
    execute: async () => ({ content: [{ type: 'text', text: 'ok' }], details: {} }),
  }
  const config = { model: { provider: 'bench' }, convertToLlm: (/** @type {unknown[]} */ messages) => messages }
  return async (/** @type {number} */ count) => {
    const calls = Array.from({ length: count }, (_, index) => ({
      ...{ type: 'toolCall', id: `call-${index}`, name: 'noop', arguments: { value: 'a' } },
    }))
    let turn = 0
    const stream = () => {
      const content = turn++ === 0 ? calls : [{ type: 'text', text: 'done' }]
      const answer = createAssistantMessageEventStream()
      const stopReason = content === calls ? 'toolUse' : 'stop'
      answer.push({
        type: 'done',
        reason: stopReason,
        message: { role: 'assistant', content, stopReason, timestamp: 0 },
      })
      return answer
    }
    const prompt = { role: 'user', content: 'go', timestamp: 0 }
    const context = { systemPrompt: '', messages: [], tools: [noop] }
    const messages = await runAgentLoop([prompt], context, config, () => {}, undefined, stream)
    return messages.filter((/** @type {{ role: string }} */ { role }) => role === 'toolResult').length
  }
}
