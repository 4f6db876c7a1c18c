import { importPeer } from './import-peer.mjs'

/** Returns a turn of pi-agent: `runAgentLoop` with a scripted stream. Nothing listens to its events, which is its fastest configuration. */
export async function piAgent() {
  const { converse } = await openPiAgent()
  return (/** @type {number} */ calls) => converse({ turns: 1, calls })
}

/** @returns {Promise<import('../lib/agents.mjs').BenchAgent>} */
export async function openPiAgent() {
  const { Agent, runAgentLoop } = await importPeer('@earendil-works/pi-agent-core')
  const { createAssistantMessageEventStream, Type } = await importPeer('@earendil-works/pi-ai')
  const parameters = Type.Object({ value: Type.String() })
  const createNoopTool = (/** @type {string} */ name) => ({
    ...{ name, label: name, description: 'Does nothing', parameters },
    execute: async () => ({ content: [{ type: 'text', text: 'ok' }], details: {} }),
  })
  const createTools = (/** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => createNoopTool(index === 0 ? 'noop' : `noop${index}`))
  /** @type {Map<number, unknown[]>} */
  const toolsByCount = new Map()
  const config = { model: { provider: 'bench' }, convertToLlm: (/** @type {unknown[]} */ messages) => messages }

  /** @param {number} turns @param {number} calls */
  const createScriptedStream = (turns, calls) => {
    let turn = 0
    return () => {
      const isLast = turn++ >= turns
      const content = isLast
        ? [{ type: 'text', text: 'done' }]
        : Array.from({ length: calls }, (_, index) => ({
            ...{ type: 'toolCall', id: `call-${turn}-${index}`, name: 'noop', arguments: { value: `${turn}` } },
          }))
      const stopReason = isLast ? 'stop' : 'toolUse'
      const answer = createAssistantMessageEventStream()
      answer.push({
        type: 'done',
        reason: stopReason,
        message: { role: 'assistant', content, stopReason, timestamp: 0 },
      })
      return answer
    }
  }

  return {
    async converse({ turns, calls, tools: count = 1 }) {
      const tools = toolsByCount.get(count) ?? createTools(count)
      toolsByCount.set(count, tools)
      const prompt = { role: 'user', content: 'go', timestamp: 0 }
      const context = { systemPrompt: '', messages: [], tools }
      const messages = await runAgentLoop(
        [prompt],
        context,
        config,
        () => {},
        undefined,
        createScriptedStream(turns, calls),
      )
      return messages.filter((/** @type {{ role: string }} */ { role }) => role === 'toolResult').length
    },
    create() {
      new Agent({ initialState: { tools: createTools(1) }, streamFn: createScriptedStream(0, 0) })
      return async () => {}
    },
  }
}
