export { type AnthropicResult, type AnthropicResultContent, toAnthropicResults } from './to-anthropic-results.js'
export { type AnthropicTool, toAnthropicTools } from './to-anthropic-tools.js'
