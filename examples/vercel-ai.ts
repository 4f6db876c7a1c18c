import assert from 'node:assert/strict'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { buildTool, createToolRuntime } from 'haft'
import { toAiTools } from 'haft/ai'
import * as z from 'zod'

const counts: number[] = []
const Count = buildTool({
  name: 'Count',
  description: 'Increments a counter; parallel calls would lose increments',
  inputSchema: z.object({}),
  async call() {
    const countBefore = counts.length
    await new Promise((resolve) => setImmediate(resolve))
    counts.push(countBefore + 1)
    return { data: `${countBefore + 1}` }
  },
})
const Remove = buildTool({
  name: 'Remove',
  description: 'Removes everything',
  inputSchema: z.object({}),
  call: async () => ({ data: 'gone' }),
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const createToolCall = (toolCallId: string, toolName: string) =>
  ({ type: 'tool-call', toolCallId, toolName, input: '{}' }) as const
let turn = 0
const model = new MockLanguageModelV3({
  doGenerate: async () =>
    turn++ === 0
      ? {
          content: [createToolCall('a', 'Count'), createToolCall('b', 'Count'), createToolCall('c', 'Remove')],
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        }
      : {
          content: [{ type: 'text', text: 'Done.' }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        },
})

const runtime = createToolRuntime({ tools: [Count, Remove], permissions: { allow: ['Count'] } })
const { text, steps } = await generateText({
  model,
  prompt: 'Count twice, then remove everything.',
  tools: await toAiTools(runtime),
  stopWhen: stepCountIs(3),
})
await runtime.dispose()

const [firstStep] = steps
console.log(
  text,
  firstStep?.toolResults.map(({ output }) => output),
)
assert.equal(text, 'Done.')
// The SDK starts all calls of a step at once; the runtime serialises those that are not safe to run together.
assert.deepEqual(counts, [1, 2])
const toolErrors = firstStep?.content.filter((part) => part.type === 'tool-error')
assert.match(String(toolErrors?.[0]?.error), /Remove needs approval.*permissions\.allow/)
