import type { ModelFacts } from '../../contract/model/model.js'
import { withoutUndefined } from '../../shared/without-undefined.js'
import { MODEL_FACTS } from './model-facts.js'

/** What may be assumed of a model that nobody described: little enough not to overrun it. */
const UNKNOWN: ModelFacts = Object.freeze({ contextWindow: 128_000, maxOutputTokens: 8192 })

/** What is known of a model; what the user says beats the table. */
export function factsFor(id: string, extra: Partial<ModelFacts> = {}): ModelFacts {
  return { ...(rowFor(id) ?? UNKNOWN), ...withoutUndefined(extra) }
}

/** The row of the id, or of the longest id that it continues: dated ids go on after a dash. */
function rowFor(id: string): ModelFacts | undefined {
  const name = id.slice(id.lastIndexOf('/') + 1)
  const known = Object.keys(MODEL_FACTS).filter((key) => name === key || isDated(name, key))
  const best = known.sort((a, b) => b.length - a.length)[0]
  return best === undefined ? undefined : MODEL_FACTS[best]
}

/** A date or `latest` is the same model; any other ending may be another one. */
function isDated(name: string, key: string): boolean {
  return name.startsWith(key) && /^[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)(-v\d+)?$/.test(name.slice(key.length))
}
