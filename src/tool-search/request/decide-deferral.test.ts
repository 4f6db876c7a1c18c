import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseToolSearchMode, type ToolSearchMode } from '../../contract/flags.js'
import { computeThreshold, decideDeferral, expectDeferral } from './decide-deferral.js'

const parseMode = (modeText: string) => parseToolSearchMode(modeText) as ToolSearchMode
const decide = (modeText: string, deferredTokens: number, contextWindow: number, canSearch = true) =>
  decideDeferral({ mode: parseMode(modeText), canSearch }, { deferredTokens, contextWindow })

describe('deferral is predicted at registration and decided before a request', () => {
  test.each([
    // mode, ToolSearch in the pool, tokens, window, prediction, decision
    ['true', true, 0, 200_000, true, true],
    ['true', false, 90_000, 200_000, false, false],
    ['auto:0', true, 0, 200_000, true, true],
    ['auto', true, 20_000, 200_000, true, false],
    ['auto', true, 20_001, 200_000, true, true],
    ['auto', false, 20_001, 200_000, false, false],
    ['auto:1', true, 2_000, 200_000, true, false],
    ['auto:1', true, 2_001, 200_000, true, true],
    ['auto:99', true, 198_000, 200_000, true, false],
    ['auto:99', true, 198_001, 200_000, true, true],
    ['auto:33', true, 3, 10, true, false],
    ['auto:33', true, 4, 10, true, true],
    ['auto:100', true, 900_000, 200_000, false, false],
    ['false', true, 900_000, 200_000, false, false],
  ])(
    'in mode %s, with ToolSearch in the pool (%s) and %i tokens in a window of %i: predicted %s, decided %s',
    (modeText, canSearch, tokens, window, prediction, decision) => {
      expect(expectDeferral({ mode: parseMode(modeText), canSearch }).defers).toBe(prediction)
      expect(decide(modeText, tokens, window, canSearch).defers).toBe(decision)
    },
  )

  test('tools are deferred exactly above the threshold, for any context window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 10_000_000 }), (percent, window) => {
        const threshold = computeThreshold(window, percent)
        expect(threshold).toBe(Number((BigInt(window) * BigInt(percent)) / 100n))
        expect(decide(`auto:${percent}`, threshold, window).defers).toBe(false)
        expect(decide(`auto:${percent}`, threshold + 1, window).defers).toBe(true)
      }),
    )
  })
})

test.each([
  [decide('true', 1, 1).reason, 'deferred tools are never sent before they are loaded.'],
  [decide('false', 1, 1).reason, 'all definitions are sent: tool search is disabled.'],
  [
    decide('true', 1, 1, false).reason,
    'all definitions are sent: ToolSearch is not in the pool, so deferred tools could not be found.',
  ],
  [
    decide('auto', 25, 200).reason,
    'the definitions of deferred tools need about 25 tokens, more than 10% of the context window (20 of 200 tokens).',
  ],
  [
    decide('auto', 20, 200).reason,
    'all definitions are sent: the definitions of deferred tools need about 20 tokens, not more than 10% of the context window (20 of 200 tokens).',
  ],
])('the decision is explained to the user: %s', (actual, reason) => expect(actual).toBe(reason))
