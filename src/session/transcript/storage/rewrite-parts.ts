import type { Message } from '../../../contract/messages.js'
import type { RewritePart } from './transcript-entry.js'

export interface Rewrite {
  readonly parts: readonly RewritePart[]
  /** The messages that the previous list did not contain. */
  readonly messages: readonly Message[]
}

/** Describes a list of messages as a difference from the previous one, so that a rewrite does not write a long session again. */
export function describeRewrite(
  list: readonly Message[],
  findPreviousIndex: (message: Message) => number | undefined,
): Rewrite {
  const parts: RewritePart[] = []
  const messages: Message[] = []
  for (const message of list) {
    const index = findPreviousIndex(message)
    const lastPart = parts.at(-1)
    if (index === undefined) {
      messages.push(message)
      if (typeof lastPart === 'number') parts[parts.length - 1] = lastPart + 1
      else parts.push(1)
    } else if (typeof lastPart === 'object' && lastPart[1] === index) parts[parts.length - 1] = [lastPart[0], index + 1]
    else parts.push([index, index + 1])
  }
  return { parts, messages }
}

/** Rebuilds the list from its parts. Messages that are missing from the previous list become undefined. */
export function applyParts<T>(
  previousList: readonly (T | undefined)[],
  parts: readonly unknown[],
  toAddedMessage: (index: number) => T,
): (T | undefined)[] {
  const list: (T | undefined)[] = []
  let addedCount = 0
  for (const part of parts) {
    if (typeof part === 'number') for (let count = 0; count < part; count++) list.push(toAddedMessage(addedCount++))
    else if (isRange(part)) for (let index = part[0]; index < part[1]; index++) list.push(previousList[index])
  }
  return list
}

function isRange(part: unknown): part is readonly [number, number] {
  return Array.isArray(part) && Number.isSafeInteger(part[0]) && Number.isSafeInteger(part[1]) && part[0] >= 0
}
