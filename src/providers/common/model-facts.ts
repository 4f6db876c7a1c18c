import type { ModelFacts, ModelPrices } from '../../contract/model/model.js'

/**
 * Windows, limits and list prices as the providers published them, as far as known on 2026-11-16.
 * They change, and some ask more for long prompts: `models` in the settings beats this table.
 */
export const MODEL_FACTS: Readonly<Record<string, ModelFacts>> = {
  ...sized(1_000_000, 128_000, {
    'claude-fable-5-2': loadsLater(undefined),
    'claude-fable-5-1': loadsLater(claude(10, 50)),
    'claude-fable-5': loadsLater(claude(10, 50)),
    'claude-mythos-5-2': loadsLater(undefined),
    'claude-mythos-5-1': loadsLater(undefined),
    'claude-mythos-5': loadsLater(undefined),
    'claude-opus-5-5': loadsLater(claude(4, 20)),
    'claude-opus-5': loadsLater(claude(5, 25)),
    'claude-opus-4-8': loadsLater(claude(5, 25)),
    'claude-opus-4-7': loadsLater(claude(5, 25)),
    'claude-opus-4-6': loadsLater(claude(5, 25)),
    'claude-sonnet-5-5': loadsLater(claude(2, 10)),
    'claude-sonnet-5': loadsLater(claude(2, 10)),
    // Five times as much for prompts of more than 100,000 tokens.
    'claude-haiku-5-5': { prices: claude(0.1, 0.5) },
  }),
  ...sized(1_000_000, 64_000, { 'claude-sonnet-4-6': loadsLater(claude(3, 15)) }),
  ...sized(200_000, 64_000, {
    'claude-opus-4-5': loadsLater(claude(5, 25)),
    'claude-sonnet-4-5': loadsLater(claude(3, 15)),
    'claude-haiku-4-5': { prices: claude(1, 5) },
  }),
  ...sized(1_050_000, 128_000, {
    'gpt-6.1-sol': { prices: openai(2, 10, 0.1) },
    'gpt-6.1-terra': {},
    'gpt-5.6': { prices: openai(4, 20, 0.4) },
    'gpt-5.6-sol': { prices: openai(4, 20, 0.4) },
    'gpt-5.6-terra': { prices: openai(2, 12, 0.2) },
    'gpt-5.6-luna': {},
    'gpt-5.4': { prices: openai(2.5, 15, 0.25) },
  }),
  ...sized(400_000, 128_000, {
    'gpt-5.4-mini': {},
    'gpt-5.4-nano': {},
    'gpt-5.2': { prices: openai(1.75, 14, 0.175) },
    'gpt-5.1': { prices: openai(1.25, 10, 0.125) },
    'gpt-5.1-codex': { prices: openai(1.25, 10, 0.125) },
    'gpt-5': { prices: openai(1.25, 10, 0.125) },
    'gpt-5-mini': { prices: openai(0.25, 2, 0.025) },
    'gpt-5-nano': { prices: openai(0.05, 0.4, 0.005) },
  }),
  ...sized(1_047_576, 32_768, {
    'gpt-4.1': { prices: openai(2, 8, 0.5) },
    'gpt-4.1-mini': { prices: openai(0.4, 1.6, 0.1) },
    'gpt-4.1-nano': { prices: openai(0.1, 0.4, 0.025) },
  }),
  ...sized(200_000, 100_000, {
    o3: { prices: openai(2, 8, 0.5) },
    'o4-mini': { prices: openai(1.1, 4.4, 0.275) },
  }),
  ...sized(128_000, 16_384, {
    'gpt-4o': { prices: openai(2.5, 10, 1.25) },
    'gpt-4o-mini': { prices: openai(0.15, 0.6, 0.075) },
  }),
}

type Rest = Omit<ModelFacts, 'contextWindow' | 'maxOutputTokens'>

function sized(
  contextWindow: number,
  maxOutputTokens: number,
  rows: Readonly<Record<string, Rest>>,
): Record<string, ModelFacts> {
  return Object.fromEntries(Object.entries(rows).map(([id, rest]) => [id, { contextWindow, maxOutputTokens, ...rest }]))
}

/** Takes `defer_loading` at the provider's own endpoint. */
function loadsLater(prices: ModelPrices | undefined): Rest {
  return { supportsDeferLoading: true, ...(prices !== undefined && { prices }) }
}

/** Reading from the cache costs a tenth, writing to it a quarter more. */
function claude(input: number, output: number): ModelPrices {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 }
}

function openai(input: number, output: number, cacheRead: number): ModelPrices {
  return { input, output, cacheRead }
}
