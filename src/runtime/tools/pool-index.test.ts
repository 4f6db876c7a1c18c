import { expect, test } from 'vitest'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { ToolFinder } from '../../tool-search/find/tool-finder.js'
import { loadLexicon, type SearchableTool } from '../../tool-search/rank/index.js'
import { PoolIndex } from './pool-index.js'

const lexicon = await loadLexicon()

/** Records additions and removals. */
class RecordingFinder extends ToolFinder {
  readonly changes: string[] = []

  override add(tools: readonly SearchableTool[]): void {
    this.changes.push(...tools.map(({ name }) => `+${name}`))
    super.add(tools)
  }

  override remove(keys: readonly string[]): void {
    this.changes.push(...keys.map(() => '-'))
    super.remove(keys)
  }
}

const createServerTools = (name: string): Tools => ['one', 'two'].map((tool) => createFixtureMcpTool(name, tool))

function createIndex() {
  const finder = new RecordingFinder(lexicon)
  let liveTools: Tools = []
  const poolIndex = new PoolIndex(
    () => liveTools,
    async () => finder,
  )
  const search = async (pool: Tools, query: string) => {
    const definitions = pool.map(({ name }) => ({ name, description: '', input_schema: {} }))
    const answer = await poolIndex.search({ pool, definitions }, { query, maxResults: 9, isSearched: () => true })
    return { names: answer.tools.map((tool: Tool) => tool.name), changes: finder.changes.splice(0), answer }
  }
  return {
    search,
    setLive: (tools: Tools) => {
      liveTools = tools
    },
  }
}

test('a search adds and removes only the tools that changed', async () => {
  const { search, setLive } = createIndex()
  const [a, b] = [createServerTools('a'), createServerTools('b')]
  setLive(a)
  expect((await search(a, 'one')).changes).toEqual(['+mcp__a__one', '+mcp__a__two'])

  expect((await search(a, 'two')).changes).toEqual([])

  setLive([...a, ...b])
  expect((await search([...a, ...b], 'one')).changes).toEqual(['+mcp__b__one', '+mcp__b__two'])

  setLive(b)
  expect(await search(b, 'one')).toMatchObject({ names: ['mcp__b__one'], changes: ['-', '-'] })
})

test('a reconnected server replaces its tools of the same names', async () => {
  const { search, setLive } = createIndex()
  const oldTools = createServerTools('a')
  setLive(oldTools)
  await search(oldTools, 'one')

  const newTools = createServerTools('a')
  setLive(newTools)
  const { answer } = await search(newTools, 'select:mcp__a__one')

  expect(answer.tools).toEqual([newTools[0]])
})

test('an agent finds only the tools of its own pool, and removes no tools of other agents', async () => {
  const { search, setLive } = createIndex()
  const allTools = [...createServerTools('a'), ...createServerTools('b')]
  const ownTools = allTools.filter((tool) => tool.mcpInfo?.serverName === 'a')
  setLive(allTools)
  await search(allTools, 'one')

  const { names, changes } = await search(ownTools, 'one')

  expect([names, changes]).toEqual([['mcp__a__one'], []])
  expect((await search(ownTools, 'select:mcp__b__one')).answer).toMatchObject({
    tools: [],
    missing: [{ name: 'mcp__b__one', near: ['mcp__a__one'] }],
  })
  expect((await search(ownTools, '+b zzz')).answer.nearestServers).toEqual([])
})

test('concurrent searches do not affect each other', async () => {
  const { search, setLive } = createIndex()
  const [a, b] = [createServerTools('a'), createServerTools('b')]
  setLive([...a, ...b])

  const results = await Promise.all([search(a, 'one'), search(b, 'one'), search([...a, ...b], 'two')])

  expect(results.map(({ names }) => names)).toEqual([['mcp__a__one'], ['mcp__b__one'], ['mcp__a__two', 'mcp__b__two']])
})
