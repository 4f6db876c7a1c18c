export type { AnthropicResultContent } from '../../providers/anthropic/to-anthropic-content.js'
export { type AnthropicResult, toAnthropicResults } from '../../providers/anthropic/to-anthropic-results.js'
export { type AnthropicTool, toAnthropicTools } from '../../providers/anthropic/to-anthropic-tools.js'
