import type { Model, ModelFacts } from '../../contract/model.js'
import { ModelError } from '../../contract/model-error.js'

export interface OpenAIModelOptions {
  readonly id: string
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly api?: 'chat' | 'responses'
  readonly facts?: Partial<ModelFacts>
  readonly fetch?: typeof globalThis.fetch
  readonly headers?: Readonly<Record<string, string>>
  readonly provider?: string
}

/** Stands in until the provider is merged. */
export function createOpenAIModel({ id, provider = 'openai', facts }: OpenAIModelOptions): Model {
  return {
    id,
    provider,
    facts: { contextWindow: 128_000, maxOutputTokens: 8192, ...facts },
    // biome-ignore lint/correctness/useYield: stands in.
    async *stream() {
      throw new ModelError('invalid_request', 'Not merged yet.')
    },
  }
}
