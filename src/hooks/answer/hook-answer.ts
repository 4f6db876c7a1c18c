import type { PermissionBehavior } from '../../contract/permission/result.js'

/** What one hook said, once every field has been checked. A field that is left out is no opinion. */
export interface HookAnswer {
  readonly permission?: { readonly behavior: PermissionBehavior; readonly reason?: string }
  /** The hook objects to what the event is about; the text is for the model. */
  readonly blocked?: string
  /** `continue: false`: the conversation ends here; the text is for the user. */
  readonly stop?: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  /** Boxed, because any value may replace an output. */
  readonly updatedOutput?: { readonly value: unknown }
  readonly additionalContext?: string
  readonly systemMessage?: string
  readonly suppressOutput?: boolean
}

export const NO_ANSWER: HookAnswer = Object.freeze({})

const MOST_CHARS = 10_000

/** Keeps one hook's words from crowding out the conversation. */
export function clipText(text: string): string {
  if (text.length <= MOST_CHARS) return text
  // A pair of surrogates that is cut in two is no valid text any more.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MOST_CHARS - 1)) ? MOST_CHARS - 1 : MOST_CHARS
  return `${text.slice(0, end)}\n[${text.length - end} more characters were cut]`
}
