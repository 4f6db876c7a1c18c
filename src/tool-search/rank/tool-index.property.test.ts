import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createToolIndex, loadLexicon, type SearchableTool } from './index.js'

const lexicon = await loadLexicon()

const WORDS = [
  'send',
  'mail',
  'weather',
  'forecast',
  'file',
  'read',
  'delete',
  '文件',
  '天气',
  'wetter',
  'q7',
  'mindmap',
]
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((parts) => parts.join(' '))
const tool: fc.Arbitrary<SearchableTool> = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  name: words,
  description: words,
  server: fc.constantFrom('one', 'two'),
})
const step = fc.oneof(
  fc.record({ add: fc.array(tool, { maxLength: 4 }) }),
  fc.record({ remove: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 3 }) }),
)
const query = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 80 }), fc.lorem())

test('an index returns the same ranking as a new one after any sequence of additions and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), query, (steps, searchText) => {
      const index = createToolIndex(lexicon)
      const indexedTools = new Map<string, SearchableTool>()
      for (const change of steps) {
        if ('add' in change) {
          index.add(change.add)
          for (const addedTool of change.add) {
            indexedTools.delete(addedTool.key)
            indexedTools.set(addedTool.key, addedTool)
          }
        } else {
          index.remove(change.remove)
          for (const key of change.remove) indexedTools.delete(key)
        }
      }
      const newIndex = createToolIndex(lexicon)
      newIndex.add([...indexedTools.values()])
      expect(index.size).toBe(indexedTools.size)
      expect(index.search(searchText, 10)).toEqual(newIndex.search(searchText, 10))
      expect(index.findNearestServers(searchText, 3)).toEqual(newIndex.findNearestServers(searchText, 3))
    }),
    createPropertyOptions(),
  )
})

test('any query on any tools returns a bounded, ordered, repeatable result', () => {
  const arbitraryTool = fc.record({
    key: fc.string(),
    name: fc.string({ unit: 'binary' }),
    description: fc.string({ unit: 'binary', maxLength: 200 }),
    inputSchema: fc.anything(),
  })
  fc.assert(
    fc.property(fc.array(arbitraryTool, { maxLength: 8 }), query, fc.nat(12), (tools, searchText, count) => {
      const index = createToolIndex(lexicon)
      index.add(tools)
      const foundTools = index.search(searchText, count)
      expect(foundTools.length).toBeLessThanOrEqual(Math.min(count, index.size))
      for (const [at, { score }] of foundTools.entries()) {
        expect(score).toBeGreaterThan(0)
        expect(score).toBeLessThanOrEqual(foundTools[at - 1]?.score ?? Number.MAX_VALUE)
      }
      expect(index.search(searchText, count)).toEqual(foundTools)
    }),
    createPropertyOptions(),
  )
})
