import { createOpenAIModel } from '../src/providers/openai/create-openai-model.js'
import { aimockConversations } from './aimock-conversations.js'

// Refusals of responses and errors within streams, which aimock has not, are tested beside the provider.
for (const api of ['chat', 'responses'] as const) {
  aimockConversations({
    name: `OpenAI's SDK with aimock: ${api}`,
    open: (url, fetch) => createOpenAIModel({ fetch, id: 'gpt-5', apiKey: 'k', baseUrl: `${url}/v1`, api }),
    sendsHalfCalls: true,
    refusal: api === 'chat' ? 'content_filter' : undefined,
  })
}
