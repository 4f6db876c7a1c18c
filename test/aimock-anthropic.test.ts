import { createAnthropicModel } from '../src/providers/anthropic/create-anthropic-model.js'
import { testAimockConversations } from './aimock-conversations.js'

// aimock does not support calls truncated by the output limit or errors within streams; the provider's own tests cover
// them.
testAimockConversations({
  name: "Anthropic's SDK with aimock",
  open: (baseUrl, fetch) => createAnthropicModel({ fetch, id: 'claude-sonnet-4-5', apiKey: 'k', baseUrl }),
  sendsHalfCalls: false,
  refusal: 'refusal',
})
