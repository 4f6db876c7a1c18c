import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyTextChanges } from '../../edits/text/text-change.js'
import { runSteps } from '../../shared/steps.js'
import { propertyRuns } from '../../testing/property-runs.js'
import { type NotebookEdit, planNotebookEdit } from './plan-notebook-edit.js'

const FILE = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Caf\\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "work",
   "metadata": {"2": 1.0, "1": 1e5},
   "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["] }, { \\\\\\"" ]}
   ],
   "source": [
    "a = 1\\n",
    "b = 2"
   ]
  }
 ],
 "metadata": {"zebra": 1, "ape": 12345678901234567890},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

function edited(text: string, edit: Partial<NotebookEdit>): string {
  const fullEdit: NotebookEdit = { mode: 'replace', source: 'new', newId: 'fresh', ...edit }
  return applyTextChanges(text, runSteps(planNotebookEdit(text, fullEdit)).changes)
}

describe('a code cell that is replaced', () => {
  test('loses its outputs and its execution count, and nothing else changes', () => {
    expect(edited(FILE, { cellId: 'work', source: 'c = "ü"\n\nd' })).toBe(
      FILE.replace('"execution_count": 7', '"execution_count": null')
        .replace(/"outputs": \[[\s\S]*?\n {3}\]/, '"outputs": []')
        .replace('"a = 1\\n",\n    "b = 2"', '"c = \\"\\u00fc\\"\\n",\n    "\\n",\n    "d"'),
    )
  })

  test('gets the members of its new type if the type changes', () => {
    const { cells } = JSON.parse(edited(FILE, { cellId: 'work', cellType: 'markdown' }))
    expect(cells[1]).toEqual({ cell_type: 'markdown', id: 'work', metadata: { 1: 1e5, 2: 1 }, source: ['new'] })
    const codeCell = JSON.parse(edited(FILE, { cellId: 'intro', cellType: 'code' })).cells[0]
    expect(codeCell).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'intro',
      metadata: {},
      outputs: [],
      source: ['new'],
    })
    expect(Object.keys(codeCell)).toEqual(['cell_type', 'execution_count', 'id', 'metadata', 'outputs', 'source'])
  })
})

test('a source that is one string stays one string', () => {
  const text = '{"cells": [{"cell_type": "markdown", "source": "old"}]}'
  expect(edited(text, { cellId: 'cell-0', source: 'a\nb' })).toBe(text.replace('old', 'a\\nb'))
})

test('a cell is inserted in the formatting of the file', () => {
  const added = `{
   "cell_type": "code",
   "execution_count": null,
   "id": "fresh",
   "metadata": {},
   "outputs": [],
   "source": [
    "new"
   ]
  }`
  const first = edited(FILE, { mode: 'insert', cellType: 'code' })
  expect(first).toBe(FILE.replace('"cells": [\n  {', `"cells": [\n  ${added},\n  {`))
  const last = edited(FILE, { mode: 'insert', cellType: 'code', cellId: 'work' })
  expect(last).toBe(FILE.replace('\n  }\n ],', `\n  },\n  ${added}\n ],`))
  const between = edited(FILE, { mode: 'insert', cellType: 'code', cellId: 'intro' })
  expect(between).toBe(FILE.replace('\n  },\n  {', `\n  },\n  ${added},\n  {`))
  const only = edited('{\n "cells": []\n}', { mode: 'insert', cellType: 'markdown' })
  expect(only).toBe(
    '{\n "cells": [\n  {\n   "cell_type": "markdown",\n   "metadata": {},\n   "source": [\n    "new"\n   ]\n  }\n ]\n}',
  )
})

test('line endings are kept', () => {
  const text = FILE.replaceAll('\n', '\r\n')
  expect(edited(text, { cellId: 'work', source: 'a\nb' })).toBe(
    edited(FILE, { cellId: 'work', source: 'a\nb' }).replaceAll('\n', '\r\n'),
  )
})

test('a cell inserted into an older format gets no id', () => {
  const text = FILE.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
  expect(edited(text, { mode: 'insert', cellType: 'markdown' })).not.toContain('fresh')
})

test.each([
  [{ cellId: 'nope' }, 'Unknown cell id "nope". Cells: intro, work.'],
  [{ cellId: 'cell-0' }, 'Unknown cell id "cell-0"'],
  [{}, 'replace needs cell_id'],
  [{ mode: 'insert' }, 'insert needs cell_type'],
] as const)('the edit %j is refused', (edit, message) => expect(() => edited(FILE, edit)).toThrow(message))

test.each([
  ['{', 'not valid JSON'],
  ['[]', 'no list of cells'],
  ['{"cells": {}}', 'no list of cells'],
  ['{"cells": [{"id": "a"}, {"id": "a"}]}', '2 cells have the id "a"'],
  ['{"cells": [{"id": "a"}]}', 'no source to replace'],
])('the notebook %s is refused', (text, message) => expect(() => edited(text, { cellId: 'a' })).toThrow(message))

describe('for any notebook and formatting', () => {
  const cell = fc.record({
    cell_type: fc.constantFrom('code', 'markdown', 'raw'),
    metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    source: fc.oneof(fc.string(), fc.array(fc.string())),
    outputs: fc.array(fc.jsonValue()),
    execution_count: fc.option(fc.nat()),
  })
  const notebookText = fc
    .tuple(
      fc.array(cell, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('', ' ', '  ', '\t'),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(([cells, indent, lineEnd]) => {
      const withIds = cells.map((each, at) => ({ id: `id${at}`, ...each }))
      return JSON.stringify({ nbformat: 4, nbformat_minor: 5, cells: withIds, z: 1 }, null, indent).replaceAll(
        '\n',
        lineEnd,
      )
    })

  test('only the given cell changes', () => {
    fc.assert(
      fc.property(
        notebookText,
        fc.nat(),
        fc.string(),
        fc.constantFrom('replace', 'insert', 'delete'),
        (text, cellSeed, source, mode) => {
          const before = JSON.parse(text)
          const index = cellSeed % before.cells.length
          const edit = {
            mode,
            source,
            cellId: `id${index}`,
            ...(mode === 'insert' && { cellType: 'markdown' as const }),
          }
          const after = JSON.parse(edited(text, edit))
          const changed = { ...before, cells: [...before.cells] }
          const cellBefore = before.cells[index]
          if (mode === 'delete') changed.cells.splice(index, 1)
          else if (mode === 'insert')
            changed.cells.splice(index + 1, 0, {
              cell_type: 'markdown',
              id: 'fresh',
              metadata: {},
              source: lines(source),
            })
          else changed.cells[index] = { ...cellBefore, ...replacedMembers(cellBefore, source) }
          expect(after).toEqual(changed)
        },
      ),
      propertyRuns(),
    )
  })

  function replacedMembers(before: { cell_type: string; source: unknown }, source: string) {
    const newSource = typeof before.source === 'string' ? source : lines(source)
    return before.cell_type === 'code'
      ? { source: newSource, outputs: [], execution_count: null }
      : { source: newSource }
  }

  function lines(source: string): string[] {
    const parts = source.split('\n').map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line))
    return parts.at(-1) === '' ? parts.slice(0, -1) : parts
  }
})
