import { createAnthropicModel } from '../src/providers/anthropic/create-anthropic-model.js'
import { aimockConversations } from './aimock-conversations.js'

// Calls that are cut at the limit and errors within streams, which aimock has not, are tested beside the provider.
aimockConversations({
  name: "Anthropic's SDK with aimock",
  open: (baseUrl, fetch) => createAnthropicModel({ fetch, id: 'claude-sonnet-4-5', apiKey: 'k', baseUrl }),
  sendsHalfCalls: false,
  refusal: 'refusal',
})
