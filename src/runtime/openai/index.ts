export { type OpenAITool, toOpenAITools } from '../../providers/openai/to-openai-tools.js'
export { fromOpenAIToolCalls, type OpenAIToolCall } from './from-openai-tool-calls.js'
export { type OpenAIToolMessage, toOpenAIToolMessages } from './to-openai-tool-messages.js'
