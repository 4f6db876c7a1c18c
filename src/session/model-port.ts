import type { Model, ModelUsage } from '../contract/model.js'
import { ModelError } from '../contract/model-error.js'
import type { ModelPort } from '../contract/ports/model.js'

export interface ModelPortOptions {
  /** The model of that name; the one for small questions where none is given. */
  readonly openModel: (name: string | undefined) => Promise<Model>
  readonly onUsage?: (usage: ModelUsage, model: Model) => void
}

/** Small questions to a model, outside the conversation: of hooks and of tools. */
export function createModelPort({ openModel, onUsage }: ModelPortOptions): ModelPort {
  return {
    async complete({ prompt, system, model: name, maxTokens, signal = new AbortController().signal }) {
      const model = await openModel(name)
      const texts: string[] = []
      const request = {
        ...{ system: system === undefined ? [] : [system], tools: [], builtInTools: 0 },
        messages: [{ type: 'user', content: prompt }] as const,
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      }
      for await (const event of model.stream(request, { signal })) {
        if (event.type === 'block-ended' && event.block.type === 'text') texts.push(event.block.text)
        if (event.type !== 'message-ended') continue
        onUsage?.(event.usage, model)
        return texts.join('\n')
      }
      throw new ModelError('stream_cut', 'The answer stopped before its end.')
    },
  }
}
