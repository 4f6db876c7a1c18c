import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { jsoncValue, parseJsonc, textPosition } from './parse-jsonc.js'

function readBack(text: string): unknown {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new Error(JSON.stringify(fault))
  return jsoncValue(root)
}

describe('what is accepted', () => {
  test('comments of both kinds and trailing commas', () => {
    const text = '\uFEFF// first\n{ /* a */ "a": [1, 2, /* b */ ], // c\r\n "b": { "c": null, }, } // end'

    expect(readBack(text)).toEqual({ a: [1, 2], b: { c: null } })
  })

  test('what looks like a comment inside a string is text', () => {
    expect(readBack('{ "url": "https://x/*y*/", "q": "a\\"//b" }')).toEqual({ url: 'https://x/*y*/', q: 'a"//b' })
  })

  test('every JSON text means what JSON.parse says', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)

        expect(readBack(text)).toEqual(JSON.parse(text))
      }),
      propertyRuns(),
    )
  })

  test('a key named __proto__ is a key like any other', () => {
    const value = readBack('{ "__proto__": { "allow": ["Bash"] } }')

    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect((value as { allow?: unknown }).allow).toBeUndefined()
  })

  test('a string as long as a file may be', () => {
    const long = 'x'.repeat(1024 * 1024)

    expect(readBack(JSON.stringify([long]))).toEqual([long])
  })
})

describe('what is refused', () => {
  test.each([
    ['{ "a": 1\n  "b": 2 }', 2, 3, "needs ',' or '}' here"],
    ['{ "a" 1 }', 1, 7, "needs ':' after a key"],
    ["{ 'a': 1 }", 1, 3, 'needs a key in double quotes'],
    ['{ "a": }', 1, 8, 'needs a value here'],
    ['{ "a": [1,,2] }', 1, 11, 'needs a value here'],
    ['{ "a": "x\n" }', 1, 8, 'has a string that is not closed or holds a bad escape'],
    ['{} {}', 1, 4, 'has text after its end'],
    ['{} /* x', 1, 3, 'has a comment that is not closed'],
    ['{ "a": 01 }', 1, 9, "needs ',' or '}' here"],
    ['{ "a": 1, "b": 2,\r\n\t"a": 3 }', 2, 2, 'has the key "a" twice'],
    ['', 1, 1, 'needs a value here'],
  ])('%j at line %i, column %i', (text, line, column, message) => {
    const { fault } = parseJsonc(text)

    expect({ ...textPosition(text, fault?.offset ?? -1), message: fault?.message }).toEqual({ line, column, message })
  })

  test('nesting that would end the stack', () => {
    expect(parseJsonc('['.repeat(100_000)).fault?.message).toBe('is nested more than 64 levels deep')
  })

  test('no text makes it throw', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '1', 'true', '//', '/*', '*/', '\n', '\\')
    fc.assert(
      fc.property(fc.array(fc.oneof(token, fc.string())), (tokens) => {
        const { root, fault } = parseJsonc(tokens.join(''))

        expect(root !== undefined || fault !== undefined).toBe(true)
      }),
      propertyRuns(1_000),
    )
  })

  test('what stood before the fault is kept', () => {
    const { root } = parseJsonc('{ "permissions": { "deny": ["Bash(rm:*)", "Web')

    expect(root && jsoncValue(root)).toEqual({ permissions: { deny: ['Bash(rm:*)'] } })
  })
})
