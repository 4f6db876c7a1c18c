import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolDefinition } from '../../contract/messages.js'
import type { Carrier } from './choose-carrier.js'
import {
  DEFERRED_PLACEHOLDER,
  isPlaceholder,
  nextRequestTools,
  type RequestTools,
  type ToolsNow,
} from './request-tools.js'

const definition = (name: string): ToolDefinition => ({ name, description: name, input_schema: { type: 'object' } })
/** Names in small letters are deferred. */
const isDeferred = (name: string) => name === name.toLowerCase()
/** A star marks what the provider defers; the placeholder is a star alone. */
const names = (tools: RequestTools) =>
  tools.definitions
    .map((each) => `${isPlaceholder(each) ? '' : each.name}${each.defer_loading === true ? '*' : ''}`)
    .join(' ')

function now(carrier: ToolsNow['carrier'], pool: string, discovered = '', referenced = discovered): ToolsNow {
  const list = (text: string) => text.split(' ').filter((name) => name !== '')
  return {
    carrier,
    isDeferred,
    definitions: list(pool).map(definition),
    discovered: list(discovered).map(definition),
    referenced: new Set(list(referenced)),
  }
}

function sentAfter(...requests: ToolsNow[]): RequestTools {
  return requests.reduce<RequestTools | undefined>(nextRequestTools, undefined) as RequestTools
}

describe('portable', () => {
  test.each([
    ['undiscovered tools are left out', sentAfter(now('portable', 'A B c d')), 'A B'],
    ['discovered ones come after all others', sentAfter(now('portable', 'A b C d', 'd b')), 'A C d b'],
    [
      'in the order of discovery',
      sentAfter(now('portable', 'A b c'), now('portable', 'A b c', 'c'), now('portable', 'A b c', 'c b')),
      'A c b',
    ],
    ['one that vanished stays', sentAfter(now('portable', 'A b c', 'b'), now('portable', 'A c', 'b c')), 'A b c'],
    ['one that comes later waits for its discovery', sentAfter(now('portable', 'B'), now('portable', 'A B')), 'B'],
    ['and is loaded like any other', sentAfter(now('portable', 'B'), now('portable', 'A B', 'A')), 'B A'],
    ['what was sent inline before stays', sentAfter(now('inline', 'A b'), now('portable', 'A b c', 'c')), 'A b c'],
    [
      'after native the marks are gone, and all is where it was',
      sentAfter(now('native', 'A b c d', 'c b'), now('portable', 'A b c d', 'c b d')),
      'A c b d',
    ],
  ])('%s', (_, tools, expected) => expect(names(tools)).toBe(expected))
})

describe('native', () => {
  test.each([
    ['undiscovered tools are left out', sentAfter(now('native', 'A b C d')), 'A C *'],
    ['discovered ones are marked, after all others', sentAfter(now('native', 'A b C d', 'd b')), 'A C * d* b*'],
    [
      'in the order of discovery',
      sentAfter(now('native', 'A b c'), now('native', 'A b c', 'c'), now('native', 'A b c', 'c b')),
      'A * c* b*',
    ],
    ['one that comes later waits for its discovery', sentAfter(now('native', 'B c'), now('native', 'A B a c')), 'B *'],
    ['and is loaded like any other', sentAfter(now('native', 'B c'), now('native', 'A B a c', 'A a')), 'B * A* a*'],
    ['one that vanished stays', sentAfter(now('native', 'A b c', 'b'), now('native', 'A c', 'b c')), 'A * b* c*'],
    [
      'one that came and vanished is there for its reference',
      sentAfter(now('native', 'A'), now('native', 'A', 'b')),
      'A * b*',
    ],
    ['what no reference loads is sent whole', sentAfter(now('native', 'A b c', 'c b', 'c')), 'A * c* b'],
    [
      'and loses its mark where it stands',
      sentAfter(now('native', 'A b c', 'b c'), now('native', 'A b c', 'b c', 'c')),
      'A * b c*',
    ],
    [
      'what is never deferred is whole, whatever refers to it',
      sentAfter(now('native', 'A b', 'A b'), now('native', 'A b', 'A b')),
      'A * b*',
    ],
    ['what was sent inline before stays', sentAfter(now('inline', 'A b'), now('native', 'A b c', 'c')), 'A b * c*'],
    [
      'after portable, what is referred to has its mark again',
      sentAfter(now('native', 'A b c', 'b'), now('portable', 'A b c', 'b'), now('native', 'A b c', 'b c', 'b')),
      'A b* * c',
    ],
  ])('%s', (_, tools, expected) => expect(names(tools)).toBe(expected))
})

test('inline is the pool as it is', () => {
  expect(names(sentAfter(now('inline', 'A b c'), now('inline', 'A c D')))).toBe('A c D')
})

/** Servers come and go, and tools are discovered at random; the built-in ones are always there. */
const history = fc.array(
  fc.record({
    servers: fc.uniqueArray(fc.integer({ min: 0, max: 5 })),
    discoveries: fc.array(fc.integer({ min: 0, max: 17 }), { maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
)
const serverTools = (server: number) => [`s${server}_a`, `s${server}_b`, `S${server}_LOADED`].map(definition)

function requestsOf(carrier: Carrier, steps: { servers: number[]; discoveries: number[] }[]) {
  const discovered = new Map<string, ToolDefinition>()
  let before: RequestTools | undefined
  return steps.map(({ servers, discoveries }) => {
    const pool = [definition('READ'), definition('TOOLSEARCH'), ...[...servers].sort().flatMap(serverTools)]
    const found = discoveries.flatMap((at) => pool[at] ?? [])
    const size = before === undefined ? 0 : before.definitions.length
    for (const each of found) discovered.set(each.name, each)
    before = nextRequestTools(before, {
      carrier,
      definitions: pool,
      isDeferred,
      discovered: [...discovered.values()],
      referenced: new Set(discovered.keys()),
    })
    return { tools: before.definitions, hasGrown: before.definitions.length > size, hasDiscovery: found.length > 0 }
  })
}

describe.each(['native', 'portable'] as const)('%s, while servers come and go', (carrier) => {
  test('the tools of each request begin with those of the one before', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const requests = requestsOf(carrier, steps)
        for (const [index, { tools }] of requests.slice(1).entries()) {
          const before = requests[index]?.tools ?? []
          expect(tools.slice(0, before.length)).toEqual(before)
          expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
        }
      }),
    )
  })

  test('the tools change only after a discovery', () => {
    fc.assert(
      fc.property(history, (steps) => {
        for (const { hasGrown, hasDiscovery } of requestsOf(carrier, steps).slice(1)) {
          if (hasGrown) expect(hasDiscovery).toBe(true)
        }
      }),
    )
  })
})

test('native: it is the portable list, with marks on what was added and the placeholder before it', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const base = new Set(['READ', 'TOOLSEARCH', ...(steps[0]?.servers ?? []).map((server) => `S${server}_LOADED`)])
      const marked = requestsOf('portable', steps).map(({ tools }) => [
        ...tools.filter(({ name }) => base.has(name)),
        DEFERRED_PLACEHOLDER,
        ...tools.flatMap((tool) => (base.has(tool.name) ? [] : [{ ...tool, defer_loading: true }])),
      ])
      expect(requestsOf('native', steps).map(({ tools }) => tools)).toEqual(marked)
    }),
  )
})
