import type { Message } from '../../contract/messages.js'
import type { RewritePart } from './transcript-entry.js'

export interface Rewrite {
  readonly parts: readonly RewritePart[]
  /** Those that were not there before. */
  readonly messages: readonly Message[]
}

/** Tells a list of messages by what it keeps of the one before: a long session must not be written twice. */
export function rewriteParts(list: readonly Message[], indexBefore: (message: Message) => number | undefined): Rewrite {
  const parts: RewritePart[] = []
  const messages: Message[] = []
  for (const message of list) {
    const index = indexBefore(message)
    const last = parts.at(-1)
    if (index === undefined) {
      messages.push(message)
      if (typeof last === 'number') parts[parts.length - 1] = last + 1
      else parts.push(1)
    } else if (typeof last === 'object' && last[1] === index) parts[parts.length - 1] = [last[0], index + 1]
    else parts.push([index, index + 1])
  }
  return { parts, messages }
}

/** The list that parts stand for; what they name and is not there is left as a hole. */
export function applyParts<T>(
  before: readonly (T | undefined)[],
  parts: readonly unknown[],
  added: (index: number) => T,
): (T | undefined)[] {
  const list: (T | undefined)[] = []
  let next = 0
  for (const part of parts) {
    if (typeof part === 'number') for (let count = 0; count < part; count++) list.push(added(next++))
    else if (isRange(part)) for (let index = part[0]; index < part[1]; index++) list.push(before[index])
  }
  return list
}

function isRange(part: unknown): part is readonly [number, number] {
  return Array.isArray(part) && Number.isSafeInteger(part[0]) && Number.isSafeInteger(part[1]) && part[0] >= 0
}
