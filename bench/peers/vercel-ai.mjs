import { importPeer } from './import-peer.mjs'

/** Returns a turn of the AI SDK: `generateText` with the SDK's mock model, one answer with calls, then one with text. */
export async function vercelAi() {
  const { generateText, stepCountIs, tool } = await importPeer('ai')
  const { MockLanguageModelV3 } = await importPeer('ai/test')
  const z = await importPeer('zod')
  const noop = tool({
    description: 'Does nothing',
    inputSchema: z.object({ value: z.string() }),
    execute: async () => 'ok',
  })
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const createFinishReason = (/** @type {string} */ reason) => ({ unified: reason, raw: reason })
  return async (/** @type {number} */ count) => {
    const answers = [
      {
        finishReason: createFinishReason('tool-calls'),
        content: Array.from({ length: count }, (_, index) => ({
          ...{ type: 'tool-call', toolCallId: `call-${index}`, toolName: 'noop', input: '{"value":"a"}' },
        })),
      },
      { finishReason: createFinishReason('stop'), content: [{ type: 'text', text: 'done' }] },
    ]
    let turn = 0
    const model = new MockLanguageModelV3({ doGenerate: async () => ({ ...answers[turn++], usage, warnings: [] }) })
    const { steps } = await generateText({ model, tools: { noop }, prompt: 'go', stopWhen: stepCountIs(2) })
    return steps[0].toolResults.length
  }
}
