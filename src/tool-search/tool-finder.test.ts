import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SearchableTool } from './rank/index.js'
import { ToolFinder } from './tool-finder.js'

const tool = (key: string, name: string, more: Partial<SearchableTool> = {}): SearchableTool => ({
  key,
  name,
  description: '',
  ...more,
})
const mcp = (server: string, name: string, description = ''): SearchableTool =>
  tool(`${server}/${name}`, `mcp__${server}__${name}`, { server, isMcp: true, description })

const TOOLS = [
  tool('todo', 'TodoWrite', { searchHint: 'update todo list', aliases: ['UpdateTodos'] }),
  tool('edit', 'NotebookEdit', { description: 'Edits cells of Jupyter notebooks' }),
  mcp('slack', 'send_message', 'Sends a message to a channel'),
  mcp('slack', 'list_channels', 'Lists channels'),
  mcp('mail', 'send_message', 'Sends a message by mail'),
  mcp('mail', 'send', 'Sends what was drafted'),
]

function finder(tools: readonly SearchableTool[] = TOOLS): ToolFinder {
  const made = new ToolFinder()
  made.add(tools)
  return made
}
const find = (query: string, max = 5) => finder().find(query, max).keys

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
  ])('%s, whole or its beginning, comes first in any letter case', (query, key) => expect(find(query)[0]).toBe(key))

  test('comes before what begins with it, and that before what fits', () => {
    const tools = [
      tool('fits', 'Deploy', { description: 'report report report', searchHint: 'report' }),
      tool('long', 'reporting_service'),
      tool('begins', 'reporter'),
      tool('exact', 'Report'),
    ]

    const [first, second, third, last] = finder(tools).find('report', 4).keys

    expect([first, last]).toEqual(['exact', 'fits'])
    expect([second, third].sort()).toEqual(['begins', 'long'])
  })

  test('beats the alias of another', () => {
    const tools = [tool('old', 'Old', { aliases: ['Read'] }), tool('read', 'Read')]

    expect(finder(tools).find('select:read', 5).keys).toEqual(['read'])
  })

  test('that two tools have gives both, in the order they came', () => {
    expect(find('select:send_message')).toEqual(['slack/send_message', 'mail/send_message'])
  })
})

describe('select', () => {
  test('takes names as they are listed, and reports those not found with what is near', () => {
    expect(finder().find('select:mcp__mail__send,TodoWrit,updatetodos', 1)).toEqual({
      keys: ['mail/send', 'todo'],
      missing: [{ name: 'TodoWrit', near: ['TodoWrite'] }],
    })
  })

  test('takes what is loaded already, and ranks nothing', () => {
    const scope = { isCallable: () => true, isSearched: () => false }

    expect(finder().find('select:TodoWrite', 5, scope).keys).toEqual(['todo'])
    expect(finder().find('todo list', 5, scope).keys).toEqual([])
  })

  test('does not find what cannot be called', () => {
    const scope = { isCallable: (key: string) => key !== 'todo', isSearched: () => true }

    expect(finder().find('select:TodoWrite', 5, scope)).toEqual({
      keys: [],
      missing: [{ name: 'TodoWrite', near: [] }],
    })
  })
})

describe('what a hostile or careless select cannot do', () => {
  const servers = Array.from({ length: 50 }, (_, index) => mcp(`s${index}`, 'search'))

  test('load a tool of every server by a name that all of them have', () => {
    expect(finder(servers).find('select:search', 5).keys).toHaveLength(5)
    expect(finder(servers).find('select:mcp__s7__search,mcp__s8__search', 1).keys).toEqual(['s7/search', 's8/search'])
  })

  test('have every one of its names compared with every tool', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `mcp__s${index}__serch`)

    const { keys, missing } = finder(servers).find(`select:${names.join(',')}`, 5)

    expect(keys).toEqual([])
    expect(missing).toHaveLength(100_000)
    expect(missing.filter(({ near }) => near.length > 0)).toHaveLength(5)
  })
})

describe('+word', () => {
  test('must stand in the name, and the rest ranks', () => {
    expect(find('+slack send')).toEqual(['slack/send_message', 'slack/list_channels'])
    expect(find('+SLACK channels', 1)).toEqual(['slack/list_channels'])
  })

  test('alone gives the tools with that name', () => {
    expect(find('+slack')).toEqual(['slack/send_message', 'slack/list_channels'])
  })

  test('that no name holds gives nothing', () => expect(find('+github send')).toEqual([]))

  test('puts the exact name first, too', () => expect(find('+mail send')[0]).toBe('mail/send'))
})

test('never more than asked for', () => expect(find('send', 1)).toEqual(['mail/send']))

test('where nothing fits there is nothing, but the nearest servers', () => {
  expect(find('quantum')).toEqual([])
  expect(finder().nearestServers('slacks', 3)).toEqual(['slack'])
})

test('a catalogue may hold any names, and the same one twice', () => {
  const tools = [
    tool('1', 'get weather now!', { server: 'my server' }),
    tool('2', 'get weather now!'),
    tool('3', ''),
    tool('4', '__proto__'),
  ]
  const made = finder(tools)

  expect(made.find('Get Weather Now!', 5).keys).toEqual(['1', '2'])
  expect(made.find('mcp__my server__get weather now!', 5).keys[0]).toBe('1')
  expect(made.find('mcp__my_server__get_weather_now_', 5).keys[0]).toBe('1')
  expect(made.find('__proto__', 5).keys[0]).toBe('4')
})

test('whatever a name looks like, a query equal to it finds it first', () => {
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
  const made = finder(names.map((name) => tool(name, name)))

  expect(names.map((name) => made.find(name.toUpperCase(), 5).keys[0])).toEqual(names)
  expect(made.find('caf\u00e9', 5).keys[0]).toBe('cafe\u0301')
  expect(made.find('two words', 5).keys[0]).toBe('  two  words ')
})

test('after any coming and going it answers as if made anew', () => {
  const key = fc.integer({ min: 0, max: 11 })
  const entry = (n: number) => mcp(`s${n % 3}`, `tool_${n}`, n % 2 === 0 ? 'even' : 'odd')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 40 }), (steps) => {
      const changing = new ToolFinder()
      const present = new Map<number, SearchableTool>()
      for (const [comes, n] of steps) {
        if (comes && !present.has(n)) {
          present.set(n, entry(n))
          changing.add([entry(n)])
        } else if (!comes && present.delete(n)) changing.remove([entry(n).key])
      }
      const fresh = finder([...present.values()])
      for (const query of ['tool', 'even', 'tool_1', '+s1 odd', 'select:tool_3,mcp__s2__tool_5']) {
        expect(changing.find(query, 20)).toEqual(fresh.find(query, 20))
      }
    }),
  )
})
