import { importPeer } from './import-peer.mjs'

/** Returns a turn of the OpenAI Agents SDK: an agent with a scripted model, one answer with calls, then one with text. Tracing is off. */
export async function openaiAgents() {
  const { Agent, Runner, setTracingDisabled, tool, Usage } = await importPeer('@openai/agents')
  const z = await importPeer('zod')
  setTracingDisabled(true)
  const noop = tool({
    ...{ name: 'noop', description: 'Does nothing', parameters: z.object({ value: z.string() }) },
    execute: async () => 'ok',
  })
  return async (/** @type {number} */ count) => {
    const calls = Array.from({ length: count }, (_, index) => ({
      ...{
        type: 'function_call',
        callId: `call-${index}`,
        name: 'noop',
        status: 'completed',
        arguments: '{"value":"a"}',
      },
    }))
    const text = [
      {
        ...{ type: 'message', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text: 'done' }],
      },
    ]
    let turn = 0
    const model = { getResponse: async () => ({ usage: new Usage(), output: turn++ === 0 ? calls : text }) }
    const agent = new Agent({ name: 'bench', instructions: '', model, tools: [noop] })
    const { newItems } = await new Runner({ tracingDisabled: true }).run(agent, 'go')
    return newItems.filter((/** @type {{ type: string }} */ { type }) => type === 'tool_call_output_item').length
  }
}
