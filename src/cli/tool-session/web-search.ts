import type { WebSearchPort, WebSearchSettings } from '../../contract/ports/web-search.js'
import type { ModelSearchOptions } from '../../providers/open-model-search.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { CommandIo } from '../io/command.js'

/** Returns the service that searches the web, with its key; undefined if none is configured or a model's provider searches. */
export function webSearchOf({ variables }: CommandIo, { webSearch }: LoadedSettings): WebSearchSettings | undefined {
  if (webSearch === undefined || webSearch.provider === 'model') return undefined
  const { provider, url, apiKeyEnv } = webSearch
  return { provider, url, apiKey: apiKeyEnv === undefined ? undefined : variables[apiKeyEnv] }
}

/**
 * Creates the port that searches with the provider of a model; undefined if the settings do not choose it. Settings of the
 * project are ignored, because they could send the queries to another server.
 */
export function createModelSearch(
  io: CommandIo,
  { webSearch, ownModels }: LoadedSettings,
  onUsage: ModelSearchOptions['onUsage'],
): WebSearchPort | undefined {
  if (webSearch?.provider !== 'model') return undefined
  return {
    async search(query) {
      const [{ openModelSearch }, { withDomainCheck }, { addStoredKeys }] = await Promise.all([
        import('../../providers/open-model-search.js'),
        import('../../ports/web-search/create-web-search.js'),
        import('./model-access.js'),
      ])
      const name = webSearch.model
      const access = await addStoredKeys(name, ownModels, io)
      return withDomainCheck(openModelSearch({ name, ...access, onUsage })).search(query)
    },
  }
}
