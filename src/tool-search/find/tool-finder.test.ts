import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadLexicon, type SearchableTool } from '../rank/index.js'
import { ToolFinder } from './tool-finder.js'

const lexicon = await loadLexicon()

const createTool = (key: string, name: string, fields: Partial<SearchableTool> = {}): SearchableTool => ({
  key,
  name,
  description: '',
  ...fields,
})
const createMcpTool = (server: string, name: string, description = ''): SearchableTool =>
  createTool(`${server}/${name}`, `mcp__${server}__${name}`, { server, isMcp: true, description })

const TOOLS = [
  createTool('todo', 'TodoWrite', { searchHint: 'update todo list', aliases: ['UpdateTodos'] }),
  createTool('edit', 'NotebookEdit', { description: 'Edits cells of Jupyter notebooks' }),
  createMcpTool('slack', 'send_message', 'Sends a message to a channel'),
  createMcpTool('slack', 'list_channels', 'Lists channels'),
  createMcpTool('mail', 'send_message', 'Sends a message by mail'),
  createMcpTool('mail', 'send', 'Sends what was drafted'),
]

function createFinder(tools: readonly SearchableTool[] = TOOLS): ToolFinder {
  const toolFinder = new ToolFinder(lexicon)
  toolFinder.add(tools)
  return toolFinder
}
const find = (query: string, max = 5) => createFinder().find(query, max).keys

describe('a name', () => {
  test.each([
    ['TodoWrite', 'todo'],
    ['todowrite', 'todo'],
    ['UPDATETODOS', 'todo'],
    ['mcp__slack__send_message', 'slack/send_message'],
    ['MCP__MAIL__SEND_MESSAGE', 'mail/send_message'],
    ['mcp__mail__send', 'mail/send'],
    ['list_channels', 'slack/list_channels'],
    ['send', 'mail/send'],
    ['list_ch', 'slack/list_channels'],
    ['MCP__mail__send_m', 'mail/send_message'],
    ['`NotebookEdit`', 'edit'],
  ])('%s, complete or shortened, is found first in any letter case', (query, key) => expect(find(query)[0]).toBe(key))

  test('that is exact ranks before a prefix match, and a prefix match before a keyword match', () => {
    const tools = [
      createTool('fits', 'Deploy', { description: 'report report report', searchHint: 'report' }),
      createTool('long', 'reporting_service'),
      createTool('begins', 'reporter'),
      createTool('exact', 'Report'),
    ]

    const [first, second, third, last] = createFinder(tools).find('report', 4).keys

    expect([first, last]).toEqual(['exact', 'fits'])
    expect([second, third].sort()).toEqual(['begins', 'long'])
  })

  test('takes precedence over the alias of another tool', () => {
    const tools = [createTool('old', 'Old', { aliases: ['Read'] }), createTool('read', 'Read')]

    expect(createFinder(tools).find('select:read', 5).keys).toEqual(['read'])
  })

  test('shared by two tools finds both, in insertion order', () => {
    expect(find('select:send_message')).toEqual(['slack/send_message', 'mail/send_message'])
  })
})

describe('a select query', () => {
  test('returns tools in the requested order, and suggests similar names for missing ones', () => {
    expect(createFinder().find('select:mcp__mail__send,TodoWrit,updatetodos', 1)).toEqual({
      keys: ['mail/send', 'todo'],
      missing: [{ name: 'TodoWrit', near: ['TodoWrite'] }],
    })
  })

  test('finds tools that keyword search excludes', () => {
    const scope = { isCallable: () => true, isSearched: () => false }

    expect(createFinder().find('select:TodoWrite', 5, scope).keys).toEqual(['todo'])
    expect(createFinder().find('todo list', 5, scope).keys).toEqual([])
  })

  test('does not find tools that cannot be called', () => {
    const scope = { isCallable: (key: string) => key !== 'todo', isSearched: () => true }

    expect(createFinder().find('select:TodoWrite', 5, scope)).toEqual({
      keys: [],
      missing: [{ name: 'TodoWrite', near: [] }],
    })
  })
})

describe('a hostile or careless select query', () => {
  const servers = Array.from({ length: 50 }, (_, index) => createMcpTool(`s${index}`, 'search'))

  test('cannot load the tools of every server by a shared name', () => {
    expect(createFinder(servers).find('select:search', 5).keys).toHaveLength(5)
    expect(createFinder(servers).find('select:mcp__s7__search,mcp__s8__search', 1).keys).toEqual([
      's7/search',
      's8/search',
    ])
  })

  test('cannot make every missing name be compared with every tool', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `mcp__s${index}__serch`)

    const { keys, missing } = createFinder(servers).find(`select:${names.join(',')}`, 5)

    expect(keys).toEqual([])
    expect(missing).toHaveLength(100_000)
    expect(missing.filter(({ near }) => near.length > 0)).toHaveLength(5)
  })
})

describe('a required +word', () => {
  test('restricts the search to names that contain it, ranked by the other words', () => {
    expect(find('+slack send')).toEqual(['slack/send_message', 'slack/list_channels'])
    expect(find('+SLACK channels', 1)).toEqual(['slack/list_channels'])
  })

  test('alone finds the tools with that word in their name', () => {
    expect(find('+slack')).toEqual(['slack/send_message', 'slack/list_channels'])
  })

  test('that occurs in no name finds nothing', () => expect(find('+github send')).toEqual([]))

  test('also ranks an exact name first', () => expect(find('+mail send')[0]).toBe('mail/send'))
})

test('a finder never returns more tools than requested', () => expect(find('send', 1)).toEqual(['mail/send']))

test('a query without a match finds no tool, but suggests the nearest servers', () => {
  expect(find('quantum')).toEqual([])
  expect(createFinder().findNearestServers('slacks', 3)).toEqual(['slack'])
})

test('a catalogue may contain any names, including duplicates', () => {
  const tools = [
    createTool('1', 'get weather now!', { server: 'my server' }),
    createTool('2', 'get weather now!'),
    createTool('3', ''),
    createTool('4', '__proto__'),
  ]
  const toolFinder = createFinder(tools)

  expect(toolFinder.find('Get Weather Now!', 5).keys).toEqual(['1', '2'])
  expect(toolFinder.find('mcp__my server__get weather now!', 5).keys[0]).toBe('1')
  expect(toolFinder.find('mcp__my_server__get_weather_now_', 5).keys[0]).toBe('1')
  expect(toolFinder.find('__proto__', 5).keys[0]).toBe('4')
})

test('a query equal to a name finds that tool first, even if the name looks like a query form', () => {
  const names = [
    '  two  words ',
    'two words more',
    '+1',
    'select:me',
    'select:a,b',
    '"quoted"',
    'quoted',
    'cafe\u0301',
    '+',
  ]
  const toolFinder = createFinder(names.map((name) => createTool(name, name)))

  expect(names.map((name) => toolFinder.find(name.toUpperCase(), 5).keys[0])).toEqual(names)
  expect(toolFinder.find('caf\u00e9', 5).keys[0]).toBe('cafe\u0301')
  expect(toolFinder.find('two words', 5).keys[0]).toBe('  two  words ')
})

test('a finder returns the same results as a new one after any sequence of additions and removals', () => {
  const key = fc.integer({ min: 0, max: 11 })
  const createEntry = (n: number) => createMcpTool(`s${n % 3}`, `tool_${n}`, n % 2 === 0 ? 'even' : 'odd')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 40 }), (steps) => {
      const updatedFinder = new ToolFinder(lexicon)
      const addedTools = new Map<number, SearchableTool>()
      for (const [isAdded, n] of steps) {
        if (isAdded && !addedTools.has(n)) {
          addedTools.set(n, createEntry(n))
          updatedFinder.add([createEntry(n)])
        } else if (!isAdded && addedTools.delete(n)) updatedFinder.remove([createEntry(n).key])
      }
      const newFinder = createFinder([...addedTools.values()])
      for (const query of ['tool', 'even', 'tool_1', '+s1 odd', 'select:tool_3,mcp__s2__tool_5']) {
        expect(updatedFinder.find(query, 20)).toEqual(newFinder.find(query, 20))
      }
    }),
  )
})

describe('a large catalogue', () => {
  const words = ['send', 'mail', 'weather', 'forecast', 'file', 'delete', '文件', 'wetter', 'mindmap', 'invoice']
  const catalogue = Array.from({ length: 300 }, (_, n) =>
    createMcpTool(`s${n % 7}`, `${words[n % 10]}_${n}`, `${words[(n * 3) % 10]} ${words[(n * 7) % 10]}`),
  )
  const queries = [...words, 'select:send_0,mail_11', '+s3 delete', 'send a mail about the weather', 'Wetter', 'zzz']
  /** Creates a clock that advances by one tick whenever it is read, which is once for each tool. */
  function createCountingPacing(budgetMs: number) {
    let tickCount = 0
    const pauses: number[] = []
    const pause = async () => {
      pauses.push(tickCount)
    }
    return { pauses, pacing: { budgetMs, now: () => tickCount++, pause } }
  }

  test('is indexed in slices with the same results as in a single pass', async () => {
    const { pauses, pacing } = createCountingPacing(5)
    const slicedFinder = new ToolFinder(lexicon)
    await slicedFinder.addInSlices(catalogue, pacing)

    const wholeFinder = createFinder(catalogue)
    expect(pauses.length).toBeGreaterThanOrEqual(catalogue.length / 6)
    for (const query of queries) {
      expect(slicedFinder.find(query, 20)).toEqual(wholeFinder.find(query, 20))
      expect(slicedFinder.findNearestServers(query, 3)).toEqual(wholeFinder.findNearestServers(query, 3))
    }
  })

  test('never adds or removes more tools between two pauses than the budget allows', async () => {
    const { pauses, pacing } = createCountingPacing(5)
    const slicedFinder = new ToolFinder(lexicon)

    await slicedFinder.addInSlices(catalogue, pacing)
    await slicedFinder.removeInSlices(
      catalogue.slice(100).map(({ key }) => key),
      pacing,
    )

    const ticksPerSlice = pauses.map((end, at) => end - (pauses[at - 1] ?? 0))
    expect(Math.max(...ticksPerSlice)).toBeLessThanOrEqual(2 * 5)
    const remainingFinder = createFinder(catalogue.slice(0, 100))
    for (const query of queries) expect(slicedFinder.find(query, 20)).toEqual(remainingFinder.find(query, 20))
  })
})
