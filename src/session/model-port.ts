import type { Model, ModelUsage } from '../contract/model/model.js'
import { ModelError } from '../contract/model/model-error.js'
import type { ModelPort } from '../contract/ports/model.js'
import { askOnce } from './loop/ask-once.js'

/** Options of `createModelPort`. */
export interface ModelPortOptions {
  /** Opens the model with this name, or the small default model without a name. */
  readonly openModel: (name: string | undefined) => Promise<Model>
  readonly onUsage?: (usage: ModelUsage, model: Model) => void
}

const NEVER_ABORTED = new AbortController().signal

/** Creates the port for single requests of hooks and tools to a model, outside the conversation. */
export function createModelPort({ openModel, onUsage }: ModelPortOptions): ModelPort {
  return {
    async complete({ prompt, system, model: name, maxTokens, requiresCompleteAnswer = false, signal = NEVER_ABORTED }) {
      const model = await openModel(name)
      const request = {
        ...{ system: system === undefined ? [] : [system], tools: [], builtInTools: 0 },
        messages: [{ type: 'user', content: prompt }] as const,
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      }
      const { text, usage, stopReason } = await askOnce(model, request, signal)
      onUsage?.(usage, model)
      if (requiresCompleteAnswer && stopReason !== 'end_turn')
        throw new ModelError('invalid_request', `The model did not finish its answer (${stopReason}).`)
      return text
    },
  }
}
