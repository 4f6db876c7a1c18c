import assert from 'node:assert/strict'
import { buildTool, createToolRuntime } from 'haft'
import { Session } from 'haft/agent'
import { createScriptedModel, resultsOf } from 'haft/models'
import * as z from 'zod'

const Weather = buildTool({
  name: 'Weather',
  description: 'Returns the weather in a city',
  inputSchema: z.object({ city: z.string().describe('The city') }),
  isReadOnly: () => true,
  call: async ({ city }) => ({ data: `Sunny in ${city}` }),
})

// With a key: createAnthropicModel({ id: 'claude-sonnet-5-5', apiKey }), and nothing else changes.
const model = createScriptedModel([
  { text: 'I will look it up.', calls: [{ name: 'Weather', input: { city: 'Bern' } }] },
  (request) => `You need no umbrella: ${resultsOf(request)[0]?.text}.`,
])
const runtime = createToolRuntime({ tools: [Weather], permissions: { allow: ['Weather'] } })
const session = new Session({ runtime, model, system: ['You answer questions about the weather.'] })
const { text, reason, turns } = await session.ask('Do I need an umbrella in Bern?')
await session.dispose()

console.log(text)
assert.deepEqual(
  { text, reason, turns },
  { text: 'You need no umbrella: Sunny in Bern.', reason: 'completed', turns: 2 },
)
