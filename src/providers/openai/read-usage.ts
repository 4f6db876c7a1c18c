import { type ModelUsage, NO_USAGE } from '../../contract/model.js'
import { isRecord } from '../../shared/is-record.js'

/** The usage that a chat or a response tells; what was read from or written to a cache is part of its input. */
export function readUsage(usage: unknown): ModelUsage {
  if (!isRecord(usage)) return NO_USAGE
  const details = [usage.prompt_tokens_details, usage.input_tokens_details].find(isRecord) ?? {}
  const whole = count(usage.prompt_tokens ?? usage.input_tokens)
  const cacheRead = Math.min(count(details.cached_tokens ?? usage.prompt_cache_hit_tokens), whole)
  const cacheWrite = Math.min(count(details.cache_write_tokens), whole - cacheRead)
  return {
    input: whole - cacheRead - cacheWrite,
    output: count(usage.completion_tokens ?? usage.output_tokens),
    cacheRead,
    cacheWrite,
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}
