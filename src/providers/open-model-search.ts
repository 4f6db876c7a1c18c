import type { Model, ModelUsage } from '../contract/model/model.js'
import { HttpError } from '../contract/ports/http.js'
import type { WebSearchPort } from '../contract/ports/web-search.js'
import { reasonOf } from '../shared/reason-of.js'
import { chooseModel, type Variables } from './choose-model.js'
import { getChosenModelFacts } from './common/facts-for.js'
import { type ModelSettings, parseFileModelName } from './model-settings.js'

/** Options of `openModelSearch`. */
export interface ModelSearchOptions {
  /** The model that searches. Default: the one that the settings or environment variables select. */
  readonly name?: string | undefined
  readonly settings: ModelSettings
  readonly env: Variables
  readonly onUsage?: ((usage: ModelUsage, model: Pick<Model, 'id' | 'facts'>) => void) | undefined
}

/** Searches the web with the server tool of a model's provider. Each search is a request of its own, which costs money. */
export function openModelSearch({ name, settings, env, onUsage }: ModelSearchOptions): WebSearchPort {
  return {
    async search(query) {
      try {
        const model = chooseModel(name ?? findServedName(settings.model ?? env.HAFT_MODEL), settings, env)
        const reportUsage = (usage: ModelUsage) =>
          onUsage?.(usage, { id: model.id, facts: getChosenModelFacts(model, settings) })
        if (model.type === 'anthropic') {
          const { searchWithAnthropic } = await import('./anthropic/search-with-anthropic.js')
          return await searchWithAnthropic(model, query, reportUsage)
        }
        const { searchWithOpenAI } = await import('./openai/search-with-openai.js')
        return await searchWithOpenAI(model, query, reportUsage)
      } catch (error) {
        throw new HttpError('failed', `Web search failed: ${reasonOf(error)}`, { cause: error })
      }
    },
  }
}

/**
 * Returns the name of the model that searches. A script or recording cannot search, so the default model of the first usable
 * provider does.
 */
function findServedName(name: string | undefined): string | undefined {
  const servedName = name?.trim() ?? ''
  return servedName === '' || parseFileModelName(servedName) !== undefined ? undefined : servedName
}
