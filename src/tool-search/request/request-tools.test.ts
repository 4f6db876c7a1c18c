import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolDefinition } from '../../contract/messages.js'
import type { Carrier } from './choose-carrier.js'
import {
  type CurrentTools,
  DEFERRED_PLACEHOLDER,
  isPlaceholder,
  type RequestTools,
  selectRequestTools,
} from './request-tools.js'

const createDefinition = (name: string): ToolDefinition => ({
  name,
  description: name,
  input_schema: { type: 'object' },
})
/** In these tests, tools with lower-case names are deferred. */
const isDeferred = (name: string) => name === name.toLowerCase()
/** Describes tools by their names. A star marks `defer_loading`; the placeholder is a star without a name. */
const namesOf = (tools: RequestTools) =>
  tools.definitions
    .map(
      (definition) =>
        `${isPlaceholder(definition) ? '' : definition.name}${definition.defer_loading === true ? '*' : ''}`,
    )
    .join(' ')

function toCurrentTools(
  carrier: CurrentTools['carrier'],
  pool: string,
  discoveredNames = '',
  referencedNames = discoveredNames,
): CurrentTools {
  const list = (text: string) => text.split(' ').filter((name) => name !== '')
  return {
    carrier,
    isDeferred,
    definitions: list(pool).map(createDefinition),
    discovered: list(discoveredNames).map(createDefinition),
    referenced: new Set(list(referencedNames)),
  }
}

function findToolsSentAfter(...requests: CurrentTools[]): RequestTools {
  return requests.reduce<RequestTools | undefined>(selectRequestTools, undefined) as RequestTools
}

describe('with the portable carrier', () => {
  test.each([
    ['undiscovered tools are omitted', findToolsSentAfter(toCurrentTools('portable', 'A B c d')), 'A B'],
    ['discovered tools follow all others', findToolsSentAfter(toCurrentTools('portable', 'A b C d', 'd b')), 'A C d b'],
    [
      'discovered tools are in order of discovery',
      findToolsSentAfter(
        toCurrentTools('portable', 'A b c'),
        toCurrentTools('portable', 'A b c', 'c'),
        toCurrentTools('portable', 'A b c', 'c b'),
      ),
      'A c b',
    ],
    [
      'a tool that disappeared stays',
      findToolsSentAfter(toCurrentTools('portable', 'A b c', 'b'), toCurrentTools('portable', 'A c', 'b c')),
      'A b c',
    ],
    [
      'a new tool is omitted until it is discovered',
      findToolsSentAfter(toCurrentTools('portable', 'B'), toCurrentTools('portable', 'A B')),
      'B',
    ],
    [
      'a new tool is added when it is discovered',
      findToolsSentAfter(toCurrentTools('portable', 'B'), toCurrentTools('portable', 'A B', 'A')),
      'B A',
    ],
    [
      'tools that were sent inline stay',
      findToolsSentAfter(toCurrentTools('inline', 'A b'), toCurrentTools('portable', 'A b c', 'c')),
      'A b c',
    ],
    [
      'after the native carrier, tools keep their place without defer_loading',
      findToolsSentAfter(toCurrentTools('native', 'A b c d', 'c b'), toCurrentTools('portable', 'A b c d', 'c b d')),
      'A c b d',
    ],
  ])('%s', (_, tools, expected) => expect(namesOf(tools)).toBe(expected))
})

describe('with the native carrier', () => {
  test.each([
    ['undiscovered tools are omitted', findToolsSentAfter(toCurrentTools('native', 'A b C d')), 'A C *'],
    [
      'discovered tools follow all others with defer_loading',
      findToolsSentAfter(toCurrentTools('native', 'A b C d', 'd b')),
      'A C * d* b*',
    ],
    [
      'discovered tools are in order of discovery',
      findToolsSentAfter(
        toCurrentTools('native', 'A b c'),
        toCurrentTools('native', 'A b c', 'c'),
        toCurrentTools('native', 'A b c', 'c b'),
      ),
      'A * c* b*',
    ],
    [
      'a new tool is omitted until it is discovered',
      findToolsSentAfter(toCurrentTools('native', 'B c'), toCurrentTools('native', 'A B a c')),
      'B *',
    ],
    [
      'a new tool is added when it is discovered',
      findToolsSentAfter(toCurrentTools('native', 'B c'), toCurrentTools('native', 'A B a c', 'A a')),
      'B * A* a*',
    ],
    [
      'a tool that disappeared stays',
      findToolsSentAfter(toCurrentTools('native', 'A b c', 'b'), toCurrentTools('native', 'A c', 'b c')),
      'A * b* c*',
    ],
    [
      'a referenced tool that has disappeared is still sent',
      findToolsSentAfter(toCurrentTools('native', 'A'), toCurrentTools('native', 'A', 'b')),
      'A * b*',
    ],
    [
      'a tool without a reference is sent in full',
      findToolsSentAfter(toCurrentTools('native', 'A b c', 'c b', 'c')),
      'A * c* b',
    ],
    [
      'a tool that lost its reference is sent in full at the same place',
      findToolsSentAfter(toCurrentTools('native', 'A b c', 'b c'), toCurrentTools('native', 'A b c', 'b c', 'c')),
      'A * b c*',
    ],
    [
      'a tool that is never deferred is sent in full, even with a reference',
      findToolsSentAfter(toCurrentTools('native', 'A b', 'A b'), toCurrentTools('native', 'A b', 'A b')),
      'A * b*',
    ],
    [
      'tools that were sent inline stay',
      findToolsSentAfter(toCurrentTools('inline', 'A b'), toCurrentTools('native', 'A b c', 'c')),
      'A b * c*',
    ],
    [
      'after the portable carrier, referenced tools are deferred again',
      findToolsSentAfter(
        toCurrentTools('native', 'A b c', 'b'),
        toCurrentTools('portable', 'A b c', 'b'),
        toCurrentTools('native', 'A b c', 'b c', 'b'),
      ),
      'A b* * c',
    ],
  ])('%s', (_, tools, expected) => expect(namesOf(tools)).toBe(expected))
})

test('without deferral the pool is sent unchanged', () => {
  expect(namesOf(findToolsSentAfter(toCurrentTools('inline', 'A b c'), toCurrentTools('inline', 'A c D')))).toBe(
    'A c D',
  )
})

/** Random connections and discoveries. Built-in tools are always present. */
const history = fc.array(
  fc.record({
    servers: fc.uniqueArray(fc.integer({ min: 0, max: 5 })),
    discoveries: fc.array(fc.integer({ min: 0, max: 17 }), { maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
)
const listServerTools = (server: number) => [`s${server}_a`, `s${server}_b`, `S${server}_LOADED`].map(createDefinition)

function requestsOf(carrier: Carrier, steps: { servers: number[]; discoveries: number[] }[]) {
  const discoveredTools = new Map<string, ToolDefinition>()
  let previousTools: RequestTools | undefined
  return steps.map(({ servers, discoveries }) => {
    const pool = [
      createDefinition('READ'),
      createDefinition('TOOLSEARCH'),
      ...[...servers].sort().flatMap(listServerTools),
    ]
    const foundTools = discoveries.flatMap((at) => pool[at] ?? [])
    const size = previousTools === undefined ? 0 : previousTools.definitions.length
    for (const definition of foundTools) discoveredTools.set(definition.name, definition)
    previousTools = selectRequestTools(previousTools, {
      carrier,
      definitions: pool,
      isDeferred,
      discovered: [...discoveredTools.values()],
      referenced: new Set(discoveredTools.keys()),
    })
    return {
      tools: previousTools.definitions,
      hasGrown: previousTools.definitions.length > size,
      hasDiscovery: foundTools.length > 0,
    }
  })
}

describe.each(['native', 'portable'] as const)(
  'with the %s carrier, while servers connect and disconnect',
  (carrier) => {
    test('the tools of each request start with those of the previous request', () => {
      fc.assert(
        fc.property(history, (steps) => {
          const requests = requestsOf(carrier, steps)
          for (const [index, { tools }] of requests.slice(1).entries()) {
            const toolsBefore = requests[index]?.tools ?? []
            expect(tools.slice(0, toolsBefore.length)).toEqual(toolsBefore)
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
  },
)

test('the native list equals the portable list, plus defer_loading on added tools and the placeholder before them', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const baseNames = new Set([
        'READ',
        'TOOLSEARCH',
        ...(steps[0]?.servers ?? []).map((server) => `S${server}_LOADED`),
      ])
      const expectedTools = requestsOf('portable', steps).map(({ tools }) => [
        ...tools.filter(({ name }) => baseNames.has(name)),
        DEFERRED_PLACEHOLDER,
        ...tools.flatMap((tool) => (baseNames.has(tool.name) ? [] : [{ ...tool, defer_loading: true }])),
      ])
      expect(requestsOf('native', steps).map(({ tools }) => tools)).toEqual(expectedTools)
    }),
  )
})
