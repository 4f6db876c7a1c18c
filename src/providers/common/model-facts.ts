import type { ModelFacts, ModelPrices } from '../../contract/model/model.js'

/**
 * Context windows, output limits and list prices as published by the providers, as of 2026-11-16.
 * They change, and some providers charge more for long prompts; `models` in the settings overrides this table.
 */
export const MODEL_FACTS: Readonly<Record<string, ModelFacts>> = {
  ...addLimits(1_000_000, 128_000, {
    'claude-fable-5-2': withDeferLoading(undefined),
    'claude-fable-5-1': withDeferLoading(createClaudePrices(10, 50)),
    'claude-fable-5': withDeferLoading(createClaudePrices(10, 50)),
    'claude-mythos-5-2': withDeferLoading(undefined),
    'claude-mythos-5-1': withDeferLoading(undefined),
    'claude-mythos-5': withDeferLoading(undefined),
    'claude-opus-5-5': withDeferLoading(createClaudePrices(4, 20)),
    'claude-opus-5': withDeferLoading(createClaudePrices(5, 25)),
    'claude-opus-4-8': withDeferLoading(createClaudePrices(5, 25)),
    'claude-opus-4-7': withDeferLoading(createClaudePrices(5, 25)),
    'claude-opus-4-6': withDeferLoading(createClaudePrices(5, 25)),
    'claude-sonnet-5-5': withDeferLoading(createClaudePrices(2, 10)),
    'claude-sonnet-5': withDeferLoading(createClaudePrices(2, 10)),
    // Prompts of more than 100,000 tokens cost five times as much.
    'claude-haiku-5-5': { prices: createClaudePrices(0.1, 0.5) },
  }),
  ...addLimits(1_000_000, 64_000, { 'claude-sonnet-4-6': withDeferLoading(createClaudePrices(3, 15)) }),
  ...addLimits(200_000, 64_000, {
    'claude-opus-4-5': withDeferLoading(createClaudePrices(5, 25)),
    'claude-sonnet-4-5': withDeferLoading(createClaudePrices(3, 15)),
    'claude-haiku-4-5': { prices: createClaudePrices(1, 5) },
  }),
  // These models were trained on patches of this format.
  ...withPatches({
    ...addLimits(1_050_000, 128_000, {
      'gpt-6.1-sol': { prices: createOpenaiPrices(2, 10, 0.1) },
      'gpt-6.1-terra': {},
      'gpt-5.6': { prices: createOpenaiPrices(4, 20, 0.4) },
      'gpt-5.6-sol': { prices: createOpenaiPrices(4, 20, 0.4) },
      'gpt-5.6-terra': { prices: createOpenaiPrices(2, 12, 0.2) },
      'gpt-5.6-luna': {},
      'gpt-5.4': { prices: createOpenaiPrices(2.5, 15, 0.25) },
    }),
    ...addLimits(400_000, 128_000, {
      'gpt-5.4-mini': {},
      'gpt-5.4-nano': {},
      'gpt-5.2': { prices: createOpenaiPrices(1.75, 14, 0.175) },
      'gpt-5.1': { prices: createOpenaiPrices(1.25, 10, 0.125) },
      'gpt-5.1-codex': { prices: createOpenaiPrices(1.25, 10, 0.125) },
      'gpt-5': { prices: createOpenaiPrices(1.25, 10, 0.125) },
      'gpt-5-mini': { prices: createOpenaiPrices(0.25, 2, 0.025) },
      'gpt-5-nano': { prices: createOpenaiPrices(0.05, 0.4, 0.005) },
    }),
    ...addLimits(1_047_576, 32_768, {
      'gpt-4.1': { prices: createOpenaiPrices(2, 8, 0.5) },
      'gpt-4.1-mini': { prices: createOpenaiPrices(0.4, 1.6, 0.1) },
      'gpt-4.1-nano': { prices: createOpenaiPrices(0.1, 0.4, 0.025) },
    }),
    ...addLimits(200_000, 100_000, {
      o3: { prices: createOpenaiPrices(2, 8, 0.5) },
      'o4-mini': { prices: createOpenaiPrices(1.1, 4.4, 0.275) },
    }),
  }),
  ...addLimits(128_000, 16_384, {
    'gpt-4o': { prices: createOpenaiPrices(2.5, 10, 1.25) },
    'gpt-4o-mini': { prices: createOpenaiPrices(0.15, 0.6, 0.075) },
  }),
}

type OtherFacts = Omit<ModelFacts, 'contextWindow' | 'maxOutputTokens'>

function addLimits(
  contextWindow: number,
  maxOutputTokens: number,
  rows: Readonly<Record<string, OtherFacts>>,
): Record<string, ModelFacts> {
  return Object.fromEntries(
    Object.entries(rows).map(([id, otherFacts]) => [id, { contextWindow, maxOutputTokens, ...otherFacts }]),
  )
}

function withPatches(rows: Readonly<Record<string, ModelFacts>>): Record<string, ModelFacts> {
  return Object.fromEntries(Object.entries(rows).map(([id, facts]) => [id, { ...facts, editFormat: 'patch' as const }]))
}

/** Returns the facts about a model that accepts `defer_loading` at the provider's own endpoint. */
function withDeferLoading(prices: ModelPrices | undefined): OtherFacts {
  return { supportsDeferLoading: true, ...(prices !== undefined && { prices }) }
}

/**
 * Creates the prices of a model. A cache read costs a tenth of the input price, a cache write a quarter more than the input
 * price.
 */
function createClaudePrices(input: number, output: number): ModelPrices {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 }
}

function createOpenaiPrices(input: number, output: number, cacheRead: number): ModelPrices {
  return { input, output, cacheRead }
}
