/** How arguments that were no JSON go back: as they came, or within JSON for servers that read them. */
export type ArgumentsForm = 'as-they-came' | 'within-json'

/** The input of a call as the text that these APIs take. */
export function toArguments(input: unknown, form: ArgumentsForm): string {
  if (typeof input !== 'string') return JSON.stringify(input ?? {})
  return form === 'as-they-came' ? input : JSON.stringify({ invalid_json: input })
}
