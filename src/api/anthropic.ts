export {
  type AnthropicResult,
  type AnthropicResultContent,
  type AnthropicTool,
  toAnthropicResults,
  toAnthropicTools,
} from '../providers/anthropic/to-anthropic-messages.js'
export { toHostName } from '../providers/common/sendable-request.js'
