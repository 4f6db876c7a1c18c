import { createHash } from 'node:crypto'
import type { ToolResultBlock } from '../contract/messages.js'
import { resultChars, resultText } from './result-text.js'

/** How a result was sent, with enough of its text to tell it from another that a provider gave the same id. */
export type ReplacementDecision = SentWhole | SentReplaced

interface SentWhole {
  readonly id: string
  readonly chars: number
  readonly digest: string
}

interface SentReplaced extends SentWhole {
  readonly replacement: string
}

export function decisionOf(id: string, block: ToolResultBlock, replacement?: string): ReplacementDecision {
  const decision = { id, chars: resultChars(block), digest: textDigest(block) }
  return replacement === undefined ? decision : { ...decision, replacement }
}

/** Whether the decision is about this very result, or about the form of it that was sent. */
export function isAbout(decision: ReplacementDecision, block: ToolResultBlock): boolean {
  if ('replacement' in decision && decision.replacement === resultText(block)) return true
  return decision.chars === resultChars(block) && decision.digest === textDigest(block)
}

export function textDigest(block: ToolResultBlock): string {
  return digestOf(resultText(block))
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
