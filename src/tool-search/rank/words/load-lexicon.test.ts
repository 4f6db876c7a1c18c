import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { createToolIndex } from '../tool-index.js'
import { readLexicon } from './load-lexicon.js'

const forecast = { key: 'forecast', name: 'get_forecast', description: 'Weather forecast for a place' }

test('a lexicon without tables causes one warning, and tools are still found by English words', async () => {
  const warnings: string[] = []
  const lexicon = await readLexicon(pathToFileURL('/nowhere/at/all/bundle.js').href, (message) =>
    warnings.push(message),
  )
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/zh-ja\.tsv.*copy the folder "data"/)
  const index = createToolIndex(lexicon)
  index.add([forecast])
  expect(index.search('weather forecast', 5)).toHaveLength(1)
  expect(index.search('天气预报', 5)).toEqual([])
})

test('the shipped tables are read without a warning', async () => {
  const warnings: string[] = []
  const lexicon = await readLexicon(import.meta.url, (message) => warnings.push(message))
  expect(warnings).toEqual([])
  const index = createToolIndex(lexicon)
  index.add([forecast])
  expect(index.search('天气预报', 5)).toHaveLength(1)
})

test('readLexicon pauses between slices, and never parses more lines in one slice than the budget allows', async () => {
  const pauseTicks: number[] = []
  let tickCount = 0
  const pacing = {
    budgetMs: 100,
    // The clock advances by one tick for each line, on any machine.
    now: () => tickCount++,
    pause: async () => {
      pauseTicks.push(tickCount)
    },
  }

  const lexicon = await readLexicon(import.meta.url, () => {}, pacing)

  const ticksPerSlice = pauseTicks.map((end, at) => end - (pauseTicks[at - 1] ?? 0))
  expect(pauseTicks.length).toBeGreaterThan(100)
  // A table that ends within a slice does not end the slice.
  expect(Math.max(...ticksPerSlice)).toBeLessThanOrEqual(2 * 100 + 10)
  const unpacedLexicon = await readLexicon(import.meta.url, () => {}, { ...pacing, budgetMs: Number.POSITIVE_INFINITY })
  // `toEqual` takes seconds for maps of this size.
  expect(isDeepStrictEqual(lexicon, unpacedLexicon)).toBe(true)
})
