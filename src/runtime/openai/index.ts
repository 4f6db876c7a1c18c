export { type OpenAITool, toOpenAITools } from '../../providers/openai/to-chat-messages.js'
export { fromOpenAIToolCalls, type OpenAIToolCall } from './from-openai-tool-calls.js'
export { type OpenAIToolMessage, toOpenAIToolMessages } from './to-openai-tool-messages.js'
