import { type ChosenModel, chooseModel } from '../../../providers/choose-model.js'
import { findModelSettingsProblem, parseFileModelName } from '../../../providers/model-settings.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import type { StoredKeys } from '../../../settings/stored-keys.js'
import type { CommandIo } from '../../io/command.js'
import { isStoredKey, previewStoredKeys } from '../../tool-session/model-access.js'

/** Returns the model that would be used here and the source of its key, never the key. Throws if there is none. */
export async function describeModel(loadedSettings: LoadedSettings, io: CommandIo): Promise<string> {
  const problem = findModelSettingsProblem(loadedSettings)
  if (problem !== undefined) throw new Error(problem)
  const requestedModel = loadedSettings.model || io.variables.HAFT_MODEL?.trim() || undefined
  if (requestedModel !== undefined && parseFileModelName(requestedModel) !== undefined) return requestedModel
  const { settings, env, storedKeys } = await previewStoredKeys(loadedSettings, io)
  const chosenModel = chooseModel(requestedModel, settings, env)
  const server = chosenModel.baseUrl === undefined ? '' : ` at ${new URL(chosenModel.baseUrl).origin}`
  const source = describeKeySource(chosenModel, loadedSettings, storedKeys)
  return `${chosenModel.id} of ${chosenModel.provider}${server}, ${source}`
}

function describeKeySource(
  { provider, type, apiKey, authToken }: ChosenModel,
  { providers }: LoadedSettings,
  storedKeys: StoredKeys,
): string {
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (authToken !== undefined) return 'key from ANTHROPIC_AUTH_TOKEN'
  if (apiKey === undefined) return 'no key'
  if (entry?.apiKey !== undefined && entry.apiKey.trim() !== '') return `key from the settings (providers.${provider})`
  if (isStoredKey(apiKey, storedKeys)) return 'key from haft login'
  return `key from ${entry?.apiKeyEnv ?? (type === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY')}`
}
