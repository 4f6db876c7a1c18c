import assert from 'node:assert/strict'
import type Anthropic from '@anthropic-ai/sdk'
import { buildTool, createToolRuntime } from 'haft'
import { toAnthropicResults, toAnthropicTools } from 'haft/anthropic'
import * as z from 'zod'

const Weather = buildTool({
  name: 'Weather',
  description: 'Returns the weather in a city',
  inputSchema: z.object({ city: z.string().describe('The city') }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: async ({ city }) => ({ data: `Sunny in ${city}` }),
})

const requests: Anthropic.MessageCreateParamsNonStreaming[] = []
/** Replaces `new Anthropic()`: two calls, the second one invalid, then an answer. */
const client: { messages: { create(request: Anthropic.MessageCreateParamsNonStreaming): Promise<ScriptedMessage> } } = {
  messages: {
    async create(request) {
      requests.push(structuredClone(request))
      if (requests.length > 1)
        return { stop_reason: 'end_turn', content: [{ type: 'text', text: 'It is sunny in Bern.' }] }
      return {
        stop_reason: 'tool_use',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'Weather', input: { city: 'Bern' } },
          { type: 'tool_use', id: 'toolu_2', name: 'Weather', input: { town: 'Rome' } },
        ],
      }
    },
  },
}
interface ScriptedMessage {
  stop_reason: Anthropic.StopReason
  content: (
    | Pick<Anthropic.TextBlock, 'type' | 'text'>
    | Pick<Anthropic.ToolUseBlock, 'type' | 'id' | 'name' | 'input'>
  )[]
}

const runtime = createToolRuntime({ tools: [Weather] })
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'How is the weather in Bern and in Rome?' }]
while (true) {
  const tools = toAnthropicTools(await runtime.definitions())
  const message = await client.messages.create({ model: 'claude', max_tokens: 1024, tools, messages })
  messages.push({ role: 'assistant', content: message.content })
  if (message.stop_reason !== 'tool_use') break
  const { results } = runtime.run(message.content.filter((block) => block.type === 'tool_use'))
  messages.push({ role: 'user', content: toAnthropicResults(await results) })
}
await runtime.dispose()

console.log(JSON.stringify(messages.at(-2), null, 2))
const [validResult, invalidResult] = (messages.at(-2)?.content ?? []) as Anthropic.ToolResultBlockParam[]
assert.deepEqual(validResult, { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny in Bern' })
assert.equal(invalidResult?.is_error, true)
assert.match(String(invalidResult?.content), /InputValidationError.*\n.*city/)
assert.equal(requests.length, 2)
