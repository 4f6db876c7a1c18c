import { cutText } from '../../shared/cut-text.js'
import type { Input, KnownCall } from '../call.js'

const MAX_VALUE_CHARS = 300
const MAX_FIELDS = 10

/**
 * Records that somebody changed the input of a call, so that the model does not take the result for that of its own input.
 * Tools that talk to the user get the user's answer as a changed input, and tell the model themselves.
 */
export function recordInputChange({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, change: InputChange): void {
  if (change.before === change.after || tool.requiresUserInteraction?.() === true) return
  const text = describeInputChange(change)
  if (text !== undefined) call.inputChanges = [...call.inputChanges, text]
}

interface InputChange {
  readonly by: 'A hook' | 'The user'
  readonly before: Input
  readonly after: Input
}

/** Describes the new values; undefined if no value differs. */
function describeInputChange({ by, before, after }: InputChange): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changedNames = names.filter((name) => toText(before[name]) !== toText(after[name]))
  if (changedNames.length === 0) return undefined
  const changes = changedNames
    .slice(0, MAX_FIELDS)
    .map((name) =>
      after[name] === undefined ? `${name} was removed` : `${name} is now ${shorten(toText(after[name]))}`,
    )
  const omittedCount = changedNames.length - changes.length
  const list = [...changes, ...(omittedCount > 0 ? [`${omittedCount} more values changed`] : [])].join('; ')
  return `${by} changed the input of this call: ${list}.`
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

function shorten(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${cutText(text, MAX_VALUE_CHARS)}…` : text
}
