import assert from 'node:assert/strict'
import { buildTool, createToolRuntime } from 'haft'
import { fromOpenAIToolCalls, toOpenAIToolMessages, toOpenAITools } from 'haft/openai'
import type OpenAI from 'openai'
import * as z from 'zod'

type Chat = OpenAI.Chat.Completions.ChatCompletionMessage
type Request = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const Add = buildTool({
  name: 'Add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: async ({ a, b }) => ({ data: String(a + b) }),
})

/** Replaces `new OpenAI()`: a valid call, one whose arguments are not JSON, then an answer. */
async function createMessage(request: Request): Promise<Chat> {
  const isAnswered = request.messages.some(({ role }) => role === 'tool')
  if (isAnswered) return { role: 'assistant', content: 'Five.', refusal: null }
  return {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'Add', arguments: '{"a":2,"b":"3"}' } },
      { id: 'call_2', type: 'function', function: { name: 'Add', arguments: '{"a":2,' } },
    ],
  }
}

const runtime = createToolRuntime({ tools: [Add] })
const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Two and three?' }]
while (true) {
  const tools = toOpenAITools(await runtime.definitions())
  const message = await createMessage({ model: 'gpt', messages, tools })
  messages.push(message)
  const calls = fromOpenAIToolCalls(message.tool_calls)
  if (calls.length === 0) break
  messages.push(...toOpenAIToolMessages(await runtime.run(calls).results))
}
await runtime.dispose()

console.log(messages.slice(2))
// A number sent as text is repaired; invalid JSON is returned as an error that the model can act on.
assert.deepEqual(messages[2], { role: 'tool', tool_call_id: 'call_1', content: '5' })
assert.match(String(messages[3]?.content), /^Error: InputValidationError/)
assert.equal(messages.at(-1)?.content, 'Five.')
