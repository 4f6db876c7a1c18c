import { createOpenAIModel } from '../src/providers/openai/create-openai-model.js'
import { testAimockConversations } from './aimock-conversations.js'

// aimock does not support refusals in the Responses API or errors within streams; the provider's own tests cover them.
for (const api of ['chat', 'responses'] as const) {
  testAimockConversations({
    name: `OpenAI's SDK with aimock: ${api}`,
    open: (url, fetch) => createOpenAIModel({ fetch, id: 'gpt-5', apiKey: 'k', baseUrl: `${url}/v1`, api }),
    sendsHalfCalls: true,
    refusal: api === 'chat' ? 'content_filter' : undefined,
  })
}
