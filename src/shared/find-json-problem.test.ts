import { expect, test } from 'vitest'
import { findJsonProblem } from './find-json-problem.js'

test.each(['{}', '[]', ' {"a": [1, -2.5e+3, true, null, "x\\n\\u00e9"], "b": {"c": []}} ', '"text"', '0'])(
  '%j is valid',
  (text) => {
    expect(findJsonProblem(text)).toBeUndefined()
    expect(() => JSON.parse(text)).not.toThrow()
  },
)

test.each([
  ['{"command": "ls" "timeout": 1}', 17, 'expected "," or "}"'],
  ['{"command": ls}', 12, 'expected a value'],
  ['{command: "ls"}', 1, 'expected a property name in double quotes or "}"'],
  ['{"a": 1,}', 8, 'expected a property name in double quotes'],
  ['[1 2]', 3, 'expected "," or "]"'],
  ['{"a": 01}', 6, 'expected a value'],
  ['{"a": "one\ntwo"}', 10, 'a string contains \\n without a backslash'],
  ['{"a": "\\d"}', 7, 'a string contains an invalid escape'],
  ['{"a": "one', 10, 'the text ends inside a string'],
  ['{"a": {"b": 1}', 14, 'the text ends, expected "," or "}"'],
  ['{} x', 3, 'expected the end of the text'],
  ['', 0, 'the text ends, expected a value'],
  ['[}', 1, 'expected a value or "]"'],
])('%j is not valid at character %i: %s', (text, offset, reason) => {
  expect(findJsonProblem(text)).toEqual({ offset, reason })
  expect(() => JSON.parse(text)).toThrow()
})

test('every prefix and every one-character change is judged as the engine judges it', () => {
  const text = '{"a":[1,-2.5e3,true,{"b":null}],"c":"x\\n"}'
  const isValid = (json: string) => {
    try {
      JSON.parse(json)
      return true
    } catch {
      return false
    }
  }
  for (let at = 0; at <= text.length; at++)
    for (const change of ['', '"', ',', '}', ']', '0', '\\', 'x', ' ', '\n']) {
      for (const json of [text.slice(0, at) + change, text.slice(0, at) + change + text.slice(at + 1)])
        expect([json, findJsonProblem(json) === undefined]).toEqual([json, isValid(json)])
    }
})
