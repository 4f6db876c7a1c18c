import type { ModelFacts, ModelPrices } from '../../contract/model/model.js'
import type { ChosenModel } from '../choose-model.js'
import type { ModelSettings } from '../model-settings.js'
import { MODEL_FACTS } from './model-facts.js'
import { withoutUndefined } from './without-undefined.js'

/** Conservative limits for models that are not in the table. */
const UNKNOWN_MODEL_FACTS: ModelFacts = Object.freeze({ contextWindow: 128_000, maxOutputTokens: 8192 })

/** Returns the limits and prices of a model. `extraFacts`, usually from the settings, overrides the table. */
export function getModelFacts(id: string, extraFacts: Partial<ModelFacts> = {}): ModelFacts {
  return { ...(findRow(id) ?? UNKNOWN_MODEL_FACTS), ...withoutUndefined(extraFacts) }
}

/** Returns the row with this ID, or with the longest known ID to which this one adds a date. */
function findRow(id: string): ModelFacts | undefined {
  const name = id.slice(id.lastIndexOf('/') + 1)
  const matchingIds = Object.keys(MODEL_FACTS).filter((key) => name === key || isDatedId(name, key))
  const longestId = matchingIds.sort((a, b) => b.length - a.length)[0]
  return longestId === undefined ? undefined : MODEL_FACTS[longestId]
}

/** Whether the name is the key with a date or `latest` added. Any other suffix may name a different model. */
function isDatedId(name: string, key: string): boolean {
  return name.startsWith(key) && /^[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)(-v\d+)?$/.test(name.slice(key.length))
}

/** Returns the facts from the table and the settings. The table does not say which features a custom server supports. */
export function getChosenModelFacts(
  { id, provider, baseUrl, supportsDeferLoading }: ChosenModel,
  { models }: ModelSettings,
): ModelFacts {
  const { prices, ...fromSettings } = { ...models?.[id], ...withoutUndefined(models?.[`${provider}/${id}`] ?? {}) }
  return getModelFacts(id, {
    ...withoutUndefined({ supportsDeferLoading: supportsDeferLoading ?? (baseUrl === undefined ? undefined : false) }),
    ...withoutUndefined(fromSettings),
    ...(prices !== undefined && { prices: withoutUndefined(prices) as ModelPrices }),
  })
}
