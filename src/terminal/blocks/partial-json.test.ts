import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { parsePartialJson } from './partial-json.js'

test('a partial input has the members that have arrived', () => {
  expect(parsePartialJson('{"file_path":"src/a.ts","lim')).toEqual({ file_path: 'src/a.ts' })
  expect(parsePartialJson('{"command":"npm te')).toEqual({ command: 'npm te' })
  expect(parsePartialJson('{"command":"a\\')).toEqual({ command: 'a' })
  expect(parsePartialJson('{"todos":[{"a":1},{"b"')).toEqual({ todos: [{ a: 1 }, {}] })
  expect(parsePartialJson('')).toBe(undefined)
})

test('every prefix of a JSON object parses to an object, and the whole text to its value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), fc.nat(), (value, cut) => {
      const json = JSON.stringify(value)
      expect(parsePartialJson(json)).toEqual(JSON.parse(json))
      expect(typeof parsePartialJson(json.slice(0, 1 + (cut % json.length)))).toBe('object')
    }),
    createPropertyOptions(300),
  )
})
