import type { ToolSearchMode } from '../../contract/flags.js'

/** What is known when tools are registered. */
export interface DeferralFacts {
  readonly mode: ToolSearchMode
  /** Whether ToolSearch is in the pool: without it nothing that is held back could be found. */
  readonly canSearch: boolean
}

/** What is known just before a request, too. */
export interface RequestFacts {
  /** What the definitions of the deferred tools would cost. */
  readonly deferredTokens: number
  readonly contextWindow: number
}

export interface DeferralDecision {
  readonly defers: boolean
  /** For a person: why. */
  readonly reason: string
}

/** Where the window is not known, what most models have at least. */
export const USUAL_CONTEXT_WINDOW = 200_000

/** The first answer, when no model is known: deferring is expected wherever nothing rules it out. */
export function expectDeferral({ mode, canSearch }: DeferralFacts): DeferralDecision {
  if (mode.type === 'standard') return inline('tool search is switched off')
  if (!canSearch) return inline('ToolSearch is not in the pool, and what is held back could not be found')
  if (mode.type === 'tst') return deferred('deferred tools are always held back')
  return deferred(
    `deferred tools are held back if their definitions take more than ${mode.percent}% of the context window, which is decided before each request`,
  )
}

/** The final answer: with `auto` it depends on the size of the window. */
export function decideDeferral(facts: DeferralFacts, request: RequestFacts): DeferralDecision {
  const expected = expectDeferral(facts)
  if (!expected.defers || facts.mode.type !== 'tst-auto') return expected
  const { deferredTokens, contextWindow } = request
  const { percent } = facts.mode
  const threshold = deferralThreshold(contextWindow, percent)
  const share = `${percent}% of the context window (${threshold} of ${contextWindow} tokens)`
  return deferredTokens > threshold
    ? deferred(`the definitions of deferred tools take about ${deferredTokens} tokens, more than ${share}`)
    : inline(`the definitions of deferred tools take about ${deferredTokens} tokens, not more than ${share}`)
}

/** Up to this many tokens the definitions are sent. */
export function deferralThreshold(contextWindow: number, percent: number): number {
  return Math.floor((contextWindow * percent) / 100)
}

function deferred(why: string): DeferralDecision {
  return { defers: true, reason: `${why}.` }
}

function inline(why: string): DeferralDecision {
  return { defers: false, reason: `every definition is sent: ${why}.` }
}
