import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { findFrontMatter, readFields, readPlainFields } from './parse-front-matter.js'

describe('findFrontMatter', () => {
  test.each([
    ['---\nname: a\n---\nbody', { yaml: 'name: a\n', bodyStart: 16 }],
    ['\uFEFF---  \r\nname: a\r\n---\r\nbody', { yaml: 'name: a\r\n', bodyStart: 22 }],
    ['---\n---', { yaml: '', bodyStart: 7 }],
    ['---\nname: a\n----\n', 'open'],
    ['---\nname: a', 'open'],
    ['text\n---\nname: a\n---\n', 'none'],
    ['', 'none'],
  ])('of %j returns %j', (text, foundRange) => expect(findFrontMatter(text)).toEqual(foundRange))
})

describe('readFields', () => {
  test.each([
    ['name: pdf\ndescription: Reads a file.\n', { name: 'pdf', description: 'Reads a file.' }],
    ['description: >-\n  Two\n  lines\n', { description: 'Two lines' }],
    ['description: "With: colon"\nuser: 1', { description: 'With: colon', user: 1 }],
    ['disable-model-invocation: true', { 'disable-model-invocation': true }],
    ['', {}],
    ['# nothing', {}],
    // Invalid YAML, but common.
    ['name: x\ndescription: Use when: the user asks', { name: 'x', description: 'Use when: the user asks' }],
  ])('of %j returns %j', async (yaml, fields) => expect({ ...(await readFields(yaml)) }).toEqual(fields))

  test.each(['- a\n- b', 'name: [', 'text', 'a: *b', '{'])('fails with a one-line message: %j', async (yaml) => {
    await expect(readFields(yaml)).rejects.toThrow(/^[^\n]+$/)
  })

  test('rejects aliases that would expand exponentially', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `k${i}: &a${i} [${i ? `*a${i - 1},*a${i - 1}` : '1'}]`)

    await expect(readFields(lines.join('\n'))).rejects.toThrow()
  })
})

test('readPlainFields returns the same fields as the YAML parser, or undefined', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abT1 :#-"\'[]{}&*!|>%@`,.\t\r~?\u00e9\u2028'), maxLength: 12 })
  const word = fc.constantFrom('true', 'false', 'null', 'yes', 'No', 'On', 'x: y', 'a #b', 'Infinity', 'NaN')
  const line = fc.tuple(
    fc.constantFrom('name', 'a-b', 'c_d', '1', '-'),
    fc.constantFrom(':', ': ', ':  '),
    fc.oneof(text, word),
  )
  let comparisons = 0
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
      const yaml = lines.map((parts) => parts.join('')).join('\n')
      const plainFields = readPlainFields(yaml)
      if (plainFields === undefined) return
      comparisons++
      expect({ ...plainFields }).toEqual(parse(yaml) ?? {})
    }),
    createPropertyOptions(1_000),
  )
  expect(comparisons).toBeGreaterThan(100)
})
