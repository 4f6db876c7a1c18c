import { expect, test } from 'vitest'
import type { Tool, Tools } from '../contract/tool.js'
import { fixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import type { SearchableTool } from '../tool-search/rank/index.js'
import { ToolFinder } from '../tool-search/tool-finder.js'
import { PoolIndex } from './pool-index.js'

/** Writes down what comes and goes. */
class WatchedFinder extends ToolFinder {
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

const server = (name: string): Tools => ['one', 'two'].map((tool) => fixtureMcpTool(name, tool))

function index() {
  const finder = new WatchedFinder()
  let alive: Tools = []
  const made = new PoolIndex(
    () => alive,
    async () => finder,
  )
  const search = async (pool: Tools, query: string) => {
    const definitions = pool.map(({ name }) => ({ name, description: '', input_schema: {} }))
    const answer = await made.search({ pool, definitions }, { query, maxResults: 9, isSearched: () => true })
    return { names: answer.tools.map((tool: Tool) => tool.name), changes: finder.changes.splice(0), answer }
  }
  return {
    search,
    live: (tools: Tools) => {
      alive = tools
    },
  }
}

test('only what comes and goes costs', async () => {
  const { search, live } = index()
  const [a, b] = [server('a'), server('b')]
  live(a)
  expect((await search(a, 'one')).changes).toEqual(['+mcp__a__one', '+mcp__a__two'])

  expect((await search(a, 'two')).changes).toEqual([])

  live([...a, ...b])
  expect((await search([...a, ...b], 'one')).changes).toEqual(['+mcp__b__one', '+mcp__b__two'])

  live(b)
  expect(await search(b, 'one')).toMatchObject({ names: ['mcp__b__one'], changes: ['-', '-'] })
})

test('a server that comes back brings other tools of the same names', async () => {
  const { search, live } = index()
  const before = server('a')
  live(before)
  await search(before, 'one')

  const after = server('a')
  live(after)
  const { answer } = await search(after, 'select:mcp__a__one')

  expect(answer.tools).toEqual([after[0]])
})

test('an agent finds only what is in its own pool, and takes nothing from the others', async () => {
  const { search, live } = index()
  const all = [...server('a'), ...server('b')]
  const own = all.filter((tool) => tool.mcpInfo?.serverName === 'a')
  live(all)
  await search(all, 'one')

  const { names, changes } = await search(own, 'one')

  expect([names, changes]).toEqual([['mcp__a__one'], []])
  expect((await search(own, 'select:mcp__b__one')).answer).toMatchObject({
    tools: [],
    missing: [{ name: 'mcp__b__one', near: ['mcp__a__one'] }],
  })
  expect((await search(own, '+b zzz')).answer.nearestServers).toEqual([])
})
