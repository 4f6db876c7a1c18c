import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
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

test.each(['[]', '1', '{}', '{"cells": {}}', '{"cells": [], "cells": 1}'])(
  'the JSON text %s is not accepted as a notebook',
  (text) => {
    expect(scan(text)).toBeUndefined()
  },
)
