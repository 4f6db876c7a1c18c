import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createToolIndex } from './index.js'
import { readLexicon } from './load-lexicon.js'

const forecast = { key: 'forecast', name: 'get_forecast', description: 'Weather forecast for a place' }

test('tables that are missing are told of once, and English is still found', () => {
  const warnings: string[] = []
  const lexicon = readLexicon(pathToFileURL('/nowhere/at/all/bundle.js').href, (message) => warnings.push(message))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/zh-ja\.tsv.*copy the folder "data"/)
  const index = createToolIndex({ lexicon: () => lexicon })
  index.add([forecast])
  expect(index.search('weather forecast', 5)).toHaveLength(1)
  expect(index.search('天气预报', 5)).toEqual([])
})

test('tables that are there are read without a word', () => {
  const warnings: string[] = []
  const lexicon = readLexicon(import.meta.url, (message) => warnings.push(message))
  expect(warnings).toEqual([])
  const index = createToolIndex({ lexicon: () => lexicon })
  index.add([forecast])
  expect(index.search('天气预报', 5)).toHaveLength(1)
})
