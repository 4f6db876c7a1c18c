import type { ToolSearchMode } from '../../contract/flags.js'

/** Facts that are known when tools are registered. */
export interface DeferralFacts {
  readonly mode: ToolSearchMode
  /** Whether ToolSearch is in the pool. Without it, deferred tools could not be found. */
  readonly canSearch: boolean
}

/** Additional facts that are known just before a request. */
export interface RequestFacts {
  /** The size in tokens of the definitions of all deferred tools. */
  readonly deferredTokens: number
  readonly contextWindow: number
}

/** Whether tools are deferred, and why. */
export interface DeferralDecision {
  readonly defers: boolean
  /** Explains the decision to the user. */
  readonly reason: string
}

/** Assumed for a model with an unknown context window. */
export const DEFAULT_CONTEXT_WINDOW = 200_000

/** Predicts the decision before the model is known. Deferral is expected unless it is disabled or ToolSearch is missing. */
export function expectDeferral({ mode, canSearch }: DeferralFacts): DeferralDecision {
  if (mode.type === 'standard') return decideInline('tool search is disabled')
  if (!canSearch) return decideInline('ToolSearch is not in the pool, so deferred tools could not be found')
  if (mode.type === 'tst') return decideDeferred('deferred tools are never sent before they are loaded')
  return decideDeferred(
    `deferred tools are not sent if their definitions need more than ${mode.percent}% of the context window, which is decided before each request`,
  )
}

/** Makes the final decision. In `auto` mode it depends on the size of the context window. */
export function decideDeferral(facts: DeferralFacts, request: RequestFacts): DeferralDecision {
  const expected = expectDeferral(facts)
  if (!expected.defers || facts.mode.type !== 'tst-auto') return expected
  const { deferredTokens, contextWindow } = request
  const { percent } = facts.mode
  const threshold = computeThreshold(contextWindow, percent)
  const share = `${percent}% of the context window (${threshold} of ${contextWindow} tokens)`
  return deferredTokens > threshold
    ? decideDeferred(`the definitions of deferred tools need about ${deferredTokens} tokens, more than ${share}`)
    : decideInline(`the definitions of deferred tools need about ${deferredTokens} tokens, not more than ${share}`)
}

/** Returns the number of tokens of all their definitions above which tools are deferred. */
export function computeThreshold(contextWindow: number, percent: number): number {
  return Math.floor((contextWindow * percent) / 100)
}

function decideDeferred(cause: string): DeferralDecision {
  return { defers: true, reason: `${cause}.` }
}

function decideInline(cause: string): DeferralDecision {
  return { defers: false, reason: `all definitions are sent: ${cause}.` }
}
