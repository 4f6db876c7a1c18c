import type { PermissionBehavior } from '../../contract/permission/result.js'
import type { ElicitationAnswer } from '../../contract/ports/ask.js'
import { cutText } from '../../shared/cut-text.js'

/** How a hook ended, before its answer is interpreted. */
export type HookEnd =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'answered'; readonly json: Readonly<Record<string, unknown>> }
  | { readonly type: 'blocked'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string }
  /** The hook was ended at its time limit or by its caller. */
  | { readonly type: 'stopped' }

/** The checked answer of one hook. A missing field means that the hook has no opinion. */
export interface HookAnswer {
  readonly permission?: { readonly behavior: PermissionBehavior; readonly reason?: string }
  /** The hook objects to the event. The text is for the model. */
  readonly blocked?: string
  /** `continue: false`: the conversation ends. The text is for the user. */
  readonly stop?: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  /** Wrapped, because any value, even undefined, may replace an output. */
  readonly updatedOutput?: { readonly value: unknown }
  /** The answer to a question of an MCP server. */
  readonly elicitation?: ElicitationAnswer
  readonly additionalContext?: string
  readonly systemMessage?: string
  readonly suppressOutput?: boolean
}

export const NO_ANSWER: HookAnswer = Object.freeze({})

const MAX_CHARS = 10_000

/** Limits the text of one hook, so that it does not fill the context window. */
export function clipText(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const shownText = cutText(text, MAX_CHARS)
  return `${shownText}\n[${text.length - shownText.length} more characters were cut]`
}
