import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createToolIndex, loadLexicon, type SearchableTool } from './index.js'

const lexicon = await loadLexicon()

interface Catalogue {
  readonly tools: readonly (readonly [server: string, name: string, description: string])[]
  readonly queries: readonly (readonly [query: string, name: string])[]
}

const readFixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
const { tools, queries }: Catalogue = JSON.parse(readFixture('catalogue.json'))
const unmatchedQueries = readFixture('fits-nothing.txt').trim().split('\n')
const catalogue = tools.map(([server, name, description]) => ({ key: name, name, server, description, isMcp: true }))
const createIndex = (addedTools: readonly SearchableTool[]) => {
  const index = createToolIndex(lexicon)
  index.add(addedTools)
  return index
}
const index = createIndex(catalogue)
const searchKeys = (query: string, count = 5) => index.search(query, count).map(({ key }) => key)

describe('an index finds tools', () => {
  test.each(queries)('for the query "%s": %s', (query, name) => {
    expect(searchKeys(query)).toContain(name)
  })

  test('and ranks the expected tool first for at least 90% of the queries', () => {
    const queriesRankedFirst = queries.filter(([query, name]) => searchKeys(query)[0] === name)
    expect(queriesRankedFirst.length / queries.length).toBeGreaterThanOrEqual(0.9)
  })

  test('by words of their hints, aliases and parameters', () => {
    const otherIndex = createIndex([
      { key: 'hint', name: 'Alpha', description: '', searchHint: 'invoices of customers' },
      { key: 'alias', name: 'Beta', description: '', aliases: ['InvoiceMaker'] },
      {
        ...{ key: 'parameter', name: 'Gamma', description: '' },
        inputSchema: { properties: { bill: { type: 'array', items: { properties: { invoice_number: {} } } } } },
      },
      { key: 'none', name: 'Delta', description: '' },
    ])
    expect(otherIndex.search('invoice', 9).map(({ key }) => key)).toEqual(['alias', 'hint', 'parameter'])
  })

  test('by the parts of a name without separators', () => {
    const otherIndex = createIndex([
      { key: 'clock', name: 'timemachine', description: 'The hour anywhere' },
      { key: 'none', name: 'alpha', description: 'Something else' },
    ])
    expect(otherIndex.search('time', 9).map(({ key }) => key)).toEqual(['clock'])
  })

  test('by one rare word in the name or the server among any number of tools', () => {
    const unrelatedTools = Array.from({ length: 2_000 }, (_, n) => ({
      key: `${n}`,
      name: `tool_${n}`,
      description: 'Does things',
    }))
    const otherIndex = createIndex([
      ...unrelatedTools,
      { key: 'server', name: 'list_rows', server: 'airtable', description: 'Rows' },
      { key: 'name', name: 'mermaid_check', description: 'Checks' },
    ])
    expect(otherIndex.search('airtable', 9).map(({ key }) => key)).toEqual(['server'])
    expect(otherIndex.search('mermaid', 9).map(({ key }) => key)).toEqual(['name'])
  })

  test('for each of several requests in one query', () => {
    const foundKeys = searchKeys(
      'Please send an email to Ann with the report. Then book a hotel in Rome, and convert 50 euros.',
    )
    expect(foundKeys.slice(0, 3).sort()).toEqual(['book_hotel', 'convert_currency', 'send_email'])
  })
})

describe('a search result', () => {
  test('is empty for most queries without a matching tool', () => {
    const queriesWithoutResult = unmatchedQueries.filter((query) => searchKeys(query).length === 0)
    expect(unmatchedQueries.length).toBe(50)
    expect(queriesWithoutResult.length / unmatchedQueries.length).toBeGreaterThanOrEqual(0.8)
  })

  test('is empty if a tool contains a word of the query only by chance', () => {
    const otherIndex = createIndex([
      ...Array.from({ length: 300 }, (_, n) => ({ key: `${n}`, name: `tool_${n}`, description: 'Does things' })),
      { key: 'polish', name: 'to_polish', description: 'Translates a text into Polish' },
      { key: 'sink', name: 'create_sink', description: 'Creates a sink for logs' },
      { key: 'candles', name: 'get_candles', description: 'Candles of a trading pair' },
    ])
    const unrelatedQueries = [
      'polish the brass doorknob',
      'bleach a stained sink',
      'remove candle wax from a woollen carpet',
    ]
    expect(unrelatedQueries.map((query) => otherIndex.search(query, 5))).toEqual([[], [], []])
    const relatedQueries = ['translate into polish', 'create a log sink', 'candles of a pair']
    expect(relatedQueries.map((query) => otherIndex.search(query, 1)[0]?.key)).toEqual(['polish', 'sink', 'candles'])
  })

  test('never exceeds the requested length', () => {
    expect(searchKeys('file message text', 3)).toHaveLength(3)
    expect(searchKeys('file message text', 0)).toEqual([])
    expect(searchKeys('file message text', -1)).toEqual([])
  })

  test('contains only accepted tools', () => {
    const foundTools = index.search('message', 5, (key) => key !== 'post_message')
    expect(foundTools.map(({ key }) => key)).not.toContain('post_message')
    expect(foundTools.length).toBeGreaterThan(0)
  })

  test('keeps equal tools in insertion order, and moves a tool that is added again to the end', () => {
    const equalTools = ['one', 'two', 'three'].map((key) => ({ key, name: 'ping', description: 'Pings a host' }))
    const otherIndex = createIndex(equalTools)
    expect(otherIndex.search('ping host', 5).map(({ key }) => key)).toEqual(['one', 'two', 'three'])
    otherIndex.add(equalTools.slice(0, 1))
    expect(otherIndex.search('ping host', 5).map(({ key }) => key)).toEqual(['two', 'three', 'one'])
    expect(otherIndex.size).toBe(3)
  })

  test('does not contain a removed tool, and removing an unknown key does nothing', () => {
    const otherIndex = createIndex(catalogue)
    otherIndex.remove(['get_forecast', 'unknown'])
    expect(otherIndex.size).toBe(catalogue.length - 1)
    expect(otherIndex.search('weather forecast', 5).map(({ key }) => key)).not.toContain('get_forecast')
  })
})

describe('the nearest servers', () => {
  test('are returned even if no tool matches', () => {
    expect(searchKeys('harpsichord weather of a whetstone')).toEqual([])
    expect(index.findNearestServers('harpsichord weather of a whetstone', 2)[0]).toBe('weather')
    expect(index.findNearestServers('send a message', 3)).toContain('slack')
    expect(index.findNearestServers('qwzx', 3)).toEqual([])
  })
})
