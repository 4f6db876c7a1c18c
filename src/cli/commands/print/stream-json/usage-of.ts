import type { ModelUsage } from '../../../../contract/model/model.js'

/** Usage under the names that the Anthropic Messages API gives it. */
export function usageOf({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}
