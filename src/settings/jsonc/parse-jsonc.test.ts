import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { parseJsonc, toTextPosition, toValue } from './parse-jsonc.js'

function parseText(text: string): unknown {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new Error(JSON.stringify(fault))
  return toValue(root)
}

describe('parseJsonc', () => {
  test('accepts comments of both kinds and trailing commas', () => {
    const text = '\uFEFF// first\n{ /* a */ "a": [1, 2, /* b */ ], // c\r\n "b": { "c": null, }, } // end'

    expect(parseText(text)).toEqual({ a: [1, 2], b: { c: null } })
  })

  test('accepts comment characters inside a string', () => {
    expect(parseText('{ "url": "https://x/*y*/", "q": "a\\"//b" }')).toEqual({ url: 'https://x/*y*/', q: 'a"//b' })
  })

  test('returns the same value as JSON.parse for every JSON text', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)

        expect(parseText(text)).toEqual(JSON.parse(text))
      }),
      createPropertyOptions(),
    )
  })

  test('treats __proto__ as an ordinary key', () => {
    const value = parseText('{ "__proto__": { "allow": ["Bash"] } }')

    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect((value as { allow?: unknown }).allow).toBeUndefined()
  })

  test('accepts a string of the maximum file size', () => {
    const longText = 'x'.repeat(1024 * 1024)

    expect(parseText(JSON.stringify([longText]))).toEqual([longText])
  })
})

describe('parseJsonc with malformed text', () => {
  test.each([
    ['{ "a": 1\n  "b": 2 }', 2, 3, "expected ',' or '}'"],
    ['{ "a" 1 }', 1, 7, "expected ':' after a key"],
    ["{ 'a': 1 }", 1, 3, 'expected a key in double quotes'],
    ['{ "a": }', 1, 8, 'expected a value'],
    ['{ "a": [1,,2] }', 1, 11, 'expected a value'],
    ['{ "a": "x\n" }', 1, 8, 'unclosed string or invalid escape'],
    ['{} {}', 1, 4, 'unexpected text after the end'],
    ['{} /* x', 1, 3, 'unclosed comment'],
    ['{ "a": 01 }', 1, 9, "expected ',' or '}'"],
    ['{ "a": 1, "b": 2,\r\n\t"a": 3 }', 2, 2, 'duplicate key "a"'],
    ['', 1, 1, 'expected a value'],
  ])('reports the fault in %j at line %i, column %i', (text, line, column, message) => {
    const { fault } = parseJsonc(text)

    expect({ ...toTextPosition(text, fault?.offset ?? -1), message: fault?.message }).toEqual({ line, column, message })
  })

  test('rejects nesting that would overflow the stack', () => {
    expect(parseJsonc('['.repeat(100_000)).fault?.message).toBe('nested more than 64 levels deep')
  })

  test('never throws, and returns a value or a fault', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '1', 'true', '//', '/*', '*/', '\n', '\\')
    fc.assert(
      fc.property(fc.array(fc.oneof(token, fc.string())), (tokens) => {
        const { root, fault } = parseJsonc(tokens.join(''))

        expect(root !== undefined || fault !== undefined).toBe(true)
      }),
      createPropertyOptions(1_000),
    )
  })

  test('returns the values before the fault', () => {
    const { root } = parseJsonc('{ "permissions": { "deny": ["Bash(rm:*)", "Web')

    expect(root && toValue(root)).toEqual({ permissions: { deny: ['Bash(rm:*)'] } })
  })
})
