import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { parseJsonAt } from './parse-json.js'
import { scanNotebook } from './scan-notebook.js'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return 'invalid'
  }
}

function scan(text: string): unknown {
  try {
    const notebook = runSteps(scanNotebook(text))
    return notebook && { ...notebook.data, cells: notebook.cells }
  } catch (error) {
    if (error instanceof SyntaxError) return 'invalid'
    throw error
  }
}

const notebook = fc
  .record({ cells: fc.array(fc.jsonValue()), metadata: fc.jsonValue(), nbformat: fc.nat() })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))

test('a notebook is parsed to the value of JSON.parse, and the span of every cell is exactly its JSON', () => {
  fc.assert(
    fc.property(notebook, fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      expect(scan(text)).toEqual(JSON.parse(text))
      const scannedNotebook = runSteps(scanNotebook(text))
      expect(scannedNotebook?.cellsSpan.items.map(({ start, end }) => JSON.parse(text.slice(start, end)))).toEqual(
        JSON.parse(text).cells,
      )
    }),
    createPropertyOptions(500),
  )
})

test('a damaged notebook is reported as invalid exactly if JSON.parse rejects it', () => {
  const damagingMark = fc.constantFrom('', ',', '"', '}', ']', '{', '[', ':', 'x', '\\', ' ')
  fc.assert(
    fc.property(notebook, fc.nat(), damagingMark, fc.boolean(), (value, seed, mark, isInserted) => {
      const text = JSON.stringify(value)
      const at = seed % text.length
      const damagedText = text.slice(0, at) + mark + text.slice(at + (isInserted ? 0 : 1))
      expect(scan(damagedText) === 'invalid').toBe(parse(damagedText) === 'invalid')
    }),
    createPropertyOptions(2_000),
  )
})

test('a long value is parsed part by part to the value of JSON.parse, or refused like there', () => {
  const limits = { charsAtOnce: 3, stringCharsAtOnce: 2, depth: 100 }
  const damagingMark = fc.constantFrom('', '', '', ',', '"', '}', ']', '{', '[', ':', 'x', '\\', ' ', '\n', '\\u12')
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.nat(),
      damagingMark,
      fc.nat(1),
      (value, seed, mark, indent) => {
        const json = JSON.stringify(value, null, indent)
        const at = seed % json.length
        const text = json.slice(0, at) + mark + json.slice(at)
        const parseInParts = () => {
          try {
            const { value: parsedValue, end } = runSteps(
              parseJsonAt(text, text.length - text.trimStart().length, limits),
            )
            return text.slice(end).trim() === '' ? parsedValue : 'invalid'
          } catch (error) {
            if (error instanceof SyntaxError) return 'invalid'
            throw error
          }
        }
        expect(parseInParts()).toEqual(parse(text))
      },
    ),
    createPropertyOptions(3_000),
  )
})

test('a long value with many levels is refused, and does not exhaust the stack', () => {
  const text = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  expect(scan(`{"cells": ${text}}`)).toBe('invalid')
})

test.each(['[]', '1', '{}', '{"cells": {}}', '{"cells": [], "cells": 1}'])(
  'the JSON text %s is not accepted as a notebook',
  (text) => {
    expect(scan(text)).toBeUndefined()
  },
)
