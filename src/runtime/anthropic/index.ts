export type { AnthropicResultContent } from '../../providers/anthropic/to-anthropic-messages.js'
export {
  type AnthropicResult,
  type AnthropicTool,
  toAnthropicResults,
  toAnthropicTools,
} from '../../providers/anthropic/to-anthropic-messages.js'
