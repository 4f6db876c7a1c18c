export { fromOpenAIToolCalls, type OpenAIToolCall } from './from-openai-tool-calls.js'
export { type OpenAIToolMessage, toOpenAIToolMessages } from './to-openai-tool-messages.js'
export { type OpenAITool, toOpenAITools } from './to-openai-tools.js'
