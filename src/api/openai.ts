export { type OpenAITool, toOpenAITools } from '../providers/openai/to-chat-messages.js'
export { fromOpenAIToolCalls, type OpenAIToolCall } from '../runtime/openai/from-openai-tool-calls.js'
export { type OpenAIToolMessage, toOpenAIToolMessages } from '../runtime/openai/to-openai-tool-messages.js'
