import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = new URL('../src/', import.meta.url).pathname

const SOURCES = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Finds the files that contain a pattern, except those that are allowed to. */
function findFilesWith(pattern: RegExp, allowed: readonly string[], sources = SOURCES): readonly string[] {
  return sources.filter(({ file, text }) => !allowed.includes(file) && pattern.test(text)).map(({ file }) => file)
}

const CALLS_RESOURCES = /\btool\??\.resources\??\.?\(/
const PARSES_RESOURCE = /\[a-zA-Z\]\[\\w-\]\+:/
const LISTS_PORTS = /\b(?:Set|Record)<PortName\b/
/** Files that check for a port by name because they need the port itself, not what it can reach. */
const PORT_USERS = [
  'cli/commands/call/run-call.ts',
  'runtime/machine/machine-ports.ts',
  'runtime/tools/offered-tools.ts',
  'runtime/resource-kind.ts',
]
const COMPARES_NEEDS = /\bneeds\??\.(?:some|includes)\(/

describe('resources and reach are defined in the contract only', () => {
  test('only the contract calls resources() of a tool', () => {
    expect(findFilesWith(CALLS_RESOURCES, ['contract/resources.ts'])).toEqual([])
  })

  test('no file parses a string into a resource', () => {
    expect(findFilesWith(PARSES_RESOURCE, [])).toEqual([])
  })

  test('no other file has a table of ports', () => {
    expect(findFilesWith(LISTS_PORTS, ['contract/ports/index.ts'])).toEqual([])
  })

  test('no other file derives the reach of a tool from its needs', () => {
    expect(findFilesWith(COMPARES_NEEDS, ['contract/tool/reach.ts', ...PORT_USERS])).toEqual([])
  })

  test.each([
    [CALLS_RESOURCES, 'const stated = tool.resources?.(input)'],
    [PARSES_RESOURCE, 'const NAMED = /^[a-zA-Z][\\w-]+:(?![\\\\/])/'],
    [LISTS_PORTS, 'const FAR: ReadonlySet<PortName> = new Set<PortName>([])'],
    [COMPARES_NEEDS, "tool.needs?.some((port) => port === 'shell')"],
  ])('the pattern %s finds a planted violation', (pattern, text) => {
    expect(findFilesWith(pattern, [], [{ file: 'planted.ts', text }])).toEqual(['planted.ts'])
  })
})
