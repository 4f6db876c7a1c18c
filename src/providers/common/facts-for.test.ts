import { expect, test } from 'vitest'
import { getModelFacts } from './facts-for.js'

test('a model id with a date or a provider prefix has the facts of the plain id', () => {
  expect(getModelFacts('claude-haiku-4-5-20251001')).toEqual(getModelFacts('claude-haiku-4-5'))
  expect(getModelFacts('gpt-5-mini-2025-08-07')).toEqual(getModelFacts('gpt-5-mini'))
  expect(getModelFacts('anthropic/claude-sonnet-4-5')).toEqual(getModelFacts('claude-sonnet-4-5'))
})

test('a different model of the same family does not get the facts of a known model', () => {
  expect(getModelFacts('gpt-5-mini').prices).not.toEqual(getModelFacts('gpt-5').prices)
  expect(getModelFacts('claude-opus-5-9')).toEqual(getModelFacts('unknown-model'))
})

test('an unknown model id gets conservative limits', () => {
  expect(getModelFacts('qwen3-coder')).toEqual({ contextWindow: 128_000, maxOutputTokens: 8192 })
})

test('model facts from the user override the built-in table', () => {
  const prices = { input: 1, output: 2 }

  expect(getModelFacts('claude-opus-5-5', { contextWindow: 5000, prices })).toMatchObject({
    contextWindow: 5000,
    maxOutputTokens: 128_000,
    prices,
  })
})
