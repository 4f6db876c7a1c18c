import assert from 'node:assert/strict'
import { createToolRuntime } from 'haft'
import { Session } from 'haft/agent'
import { type Model, ModelError, type ModelRequest, NO_USAGE } from 'haft/models'

let requests = 0
/** A custom model has one function that receives a request and yields the events of a message. This one fails once and is retried. */
const echoModel: Model = {
  id: 'echo-1',
  provider: 'example',
  facts: { contextWindow: 8_000, maxOutputTokens: 1_000, prices: { input: 1, output: 2 } },
  async *stream(request, { signal }) {
    signal.throwIfAborted()
    // The loop retries temporary failures, here after the requested delay.
    if (++requests === 1) throw new ModelError('overloaded', 'The model is overloaded.', { retryAfterMs: 1 })
    const text = `You said: ${lastTextOf(request)}`
    yield { type: 'message-started', model: 'echo-1' }
    for (const piece of text.match(/.{1,8}/gs) ?? []) yield { type: 'text-delta', text: piece }
    yield { type: 'block-ended', block: { type: 'text', text } }
    yield { type: 'message-ended', stopReason: 'end_turn', usage: { ...NO_USAGE, input: 1_000, output: 500 } }
  },
}

function lastTextOf({ messages }: ModelRequest): string {
  const content = messages.at(-1)?.content ?? ''
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ')
}

const session = new Session({ runtime: createToolRuntime({ tools: [] }), model: echoModel, system: [] })
const retryReasons: string[] = []
const end = await session.ask('good morning', {
  onEvent: (event) => {
    if (event.type === 'request-retried') retryReasons.push(event.error.message)
    if (event.type === 'model-event' && event.event.type === 'text-delta') process.stdout.write(event.event.text)
  },
})
await session.dispose()

console.log(` (${end.usage.input + end.usage.output} tokens, $${end.costUsd})`)
assert.equal(end.text, 'You said: good morning')
assert.equal(end.costUsd, 0.002)
assert.deepEqual(retryReasons, ['The model is overloaded.'])
