import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = new URL('../src/', import.meta.url).pathname

const SOURCE_FILES = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Finds the files that contain a pattern, except those that are allowed to. */
function findFilesWith(pattern: RegExp, allowedFiles: readonly string[], sources = SOURCE_FILES): readonly string[] {
  return sources.filter(({ file, text }) => !allowedFiles.includes(file) && pattern.test(text)).map(({ file }) => file)
}

const RESOURCES_CALL = /\btool\??\.resources\??\.?\(/
const RESOURCE_PARSER_CODE = /\[a-zA-Z\]\[\\w-\]\+:/
const PORT_LIST_CODE = /\b(?:Set|Record)<PortName\b/
/** Files that check for a port by name because they need the port itself, not what it can reach. */
const PORT_USERS = [
  'cli/agent-session/open-agent-session.ts',
  'cli/commands/call/run-call.ts',
  'cli/stream-json/control/driver-questions.ts',
  'runtime/machine/machine-ports.ts',
  'runtime/tools/tool-catalog.ts',
  'calls/schedule/fair-limiter.ts',
]
const NEEDS_COMPARISON = /\bneeds\??\.(?:some|includes)\(/

describe('resources and reach are defined in the contract only', () => {
  test('only the contract calls resources() of a tool', () => {
    expect(findFilesWith(RESOURCES_CALL, ['contract/resources.ts'])).toEqual([])
  })

  test('no file parses a string into a resource', () => {
    expect(findFilesWith(RESOURCE_PARSER_CODE, [])).toEqual([])
  })

  test('no other file has a table of ports', () => {
    expect(findFilesWith(PORT_LIST_CODE, ['contract/ports/index.ts'])).toEqual([])
  })

  test('no other file derives the reach of a tool from its needs', () => {
    expect(findFilesWith(NEEDS_COMPARISON, ['contract/tool/capabilities.ts', ...PORT_USERS])).toEqual([])
  })

  test.each([
    [RESOURCES_CALL, 'const stated = tool.resources?.(input)'],
    [RESOURCE_PARSER_CODE, 'const NAMED = /^[a-zA-Z][\\w-]+:(?![\\\\/])/'],
    [PORT_LIST_CODE, 'const FAR: ReadonlySet<PortName> = new Set<PortName>([])'],
    [NEEDS_COMPARISON, "tool.needs?.some((port) => port === 'shell')"],
  ])('the pattern %s finds a planted violation', (pattern, text) => {
    expect(findFilesWith(pattern, [], [{ file: 'planted.ts', text }])).toEqual(['planted.ts'])
  })
})
