import { createHash } from 'node:crypto'
import { cutText } from '../../shared/cut-text.js'

/** More than the largest context window holds. Longer texts come from mistakes, and would fail every further request. */
export const MAX_TEXT_CHARS = 8_000_000
/** The strictest limit of the providers, for ids and for names. */
export const MAX_ID_CHARS = 64
const VALID_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const HASH_CHARS = 12

export function isSendableText(text: string, maxChars = MAX_TEXT_CHARS): boolean {
  return text.length <= maxChars && text.isWellFormed()
}

/** Replaces lone surrogates with U+FFFD, because providers refuse them: JSON can express them, and UTF-8 cannot. */
export function toSendableText(text: string, maxChars = MAX_TEXT_CHARS): string {
  if (isSendableText(text, maxChars)) return text
  const cut = cutText(text, maxChars)
  return (cut === text ? text : `${cut}\n[${text.length - cut.length} more characters were not sent]`).toWellFormed()
}

/** Converts the strings and keys in a JSON value. Returns the same value if all of them are valid. */
export function toSendableValue<Value>(value: Value, maxChars = MAX_TEXT_CHARS): Value {
  if (typeof value === 'string') return toSendableText(value, maxChars) as Value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => toSendableValue(item, maxChars))
    return items.some((item, at) => item !== value[at]) ? (items as Value) : value
  }
  let hasChanged = false
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const [newKey, newMember] = [toSendableText(key), toSendableValue(member, maxChars)]
    hasChanged ||= newKey !== key || newMember !== member
    return [newKey, newMember]
  })
  return hasChanged ? (Object.fromEntries(entries) as Value) : value
}

/**
 * Returns the name of a tool as providers accept it. Different names stay different. The names in earlier calls are converted
 * as well, because a model may have called a tool that does not exist.
 */
export function toSendableName(name: string): string {
  return toSendableId(name, VALID_NAME)
}

/** Returns an id that matches the pattern. A call and its result get the same one, and different ids stay different. */
export function toSendableId(id: string, pattern: RegExp): string {
  if (pattern.test(id)) return id
  const readablePrefix = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_ID_CHARS - HASH_CHARS - 1)
  // Hashes UTF-16 units, because different lone surrogates have the same UTF-8 bytes.
  const hash = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex')
  return `${readablePrefix}_${hash.slice(0, HASH_CHARS)}`
}
