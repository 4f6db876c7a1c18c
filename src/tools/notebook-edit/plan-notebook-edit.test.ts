import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyTextChanges } from '../../edits/text/text-change.js'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { type NotebookEdit, planNotebookEdit } from './plan-notebook-edit.js'

const NOTEBOOK_TEXT = `{
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

function applyNotebookEdit(text: string, edit: Partial<NotebookEdit>): string {
  const fullEdit: NotebookEdit = { mode: 'replace', source: 'new', newId: 'fresh', ...edit }
  return applyTextChanges(text, runSteps(planNotebookEdit(text, fullEdit)).changes)
}

describe('a code cell that is replaced', () => {
  test('loses its outputs and its execution count, and nothing else changes', () => {
    expect(applyNotebookEdit(NOTEBOOK_TEXT, { cellId: 'work', source: 'c = "ü"\n\nd' })).toBe(
      NOTEBOOK_TEXT.replace('"execution_count": 7', '"execution_count": null')
        .replace(/"outputs": \[[\s\S]*?\n {3}\]/, '"outputs": []')
        .replace('"a = 1\\n",\n    "b = 2"', '"c = \\"\\u00fc\\"\\n",\n    "\\n",\n    "d"'),
    )
  })

  test('gets the members of its new type if the type changes', () => {
    const { cells } = JSON.parse(applyNotebookEdit(NOTEBOOK_TEXT, { cellId: 'work', cellType: 'markdown' }))
    expect(cells[1]).toEqual({ cell_type: 'markdown', id: 'work', metadata: { 1: 1e5, 2: 1 }, source: ['new'] })
    const codeCell = JSON.parse(applyNotebookEdit(NOTEBOOK_TEXT, { cellId: 'intro', cellType: 'code' })).cells[0]
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
  expect(applyNotebookEdit(text, { cellId: 'cell-0', source: 'a\nb' })).toBe(text.replace('old', 'a\\nb'))
})

test('a cell is inserted in the formatting of the file', () => {
  const addedCell = `{
   "cell_type": "code",
   "execution_count": null,
   "id": "fresh",
   "metadata": {},
   "outputs": [],
   "source": [
    "new"
   ]
  }`
  const withFirstCell = applyNotebookEdit(NOTEBOOK_TEXT, { mode: 'insert', cellType: 'code' })
  expect(withFirstCell).toBe(NOTEBOOK_TEXT.replace('"cells": [\n  {', `"cells": [\n  ${addedCell},\n  {`))
  const withLastCell = applyNotebookEdit(NOTEBOOK_TEXT, { mode: 'insert', cellType: 'code', cellId: 'work' })
  expect(withLastCell).toBe(NOTEBOOK_TEXT.replace('\n  }\n ],', `\n  },\n  ${addedCell}\n ],`))
  const insertedBetween = applyNotebookEdit(NOTEBOOK_TEXT, { mode: 'insert', cellType: 'code', cellId: 'intro' })
  expect(insertedBetween).toBe(NOTEBOOK_TEXT.replace('\n  },\n  {', `\n  },\n  ${addedCell},\n  {`))
  const withOnlyCell = applyNotebookEdit('{\n "cells": []\n}', { mode: 'insert', cellType: 'markdown' })
  expect(withOnlyCell).toBe(
    '{\n "cells": [\n  {\n   "cell_type": "markdown",\n   "metadata": {},\n   "source": [\n    "new"\n   ]\n  }\n ]\n}',
  )
})

test('line endings are kept', () => {
  const text = NOTEBOOK_TEXT.replaceAll('\n', '\r\n')
  expect(applyNotebookEdit(text, { cellId: 'work', source: 'a\nb' })).toBe(
    applyNotebookEdit(NOTEBOOK_TEXT, { cellId: 'work', source: 'a\nb' }).replaceAll('\n', '\r\n'),
  )
})

test('a cell inserted into an older format gets no id', () => {
  const text = NOTEBOOK_TEXT.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
  expect(applyNotebookEdit(text, { mode: 'insert', cellType: 'markdown' })).not.toContain('fresh')
})

test.each([
  [{ cellId: 'nope' }, 'Unknown cell id "nope". Cells: intro, work.'],
  [{ cellId: 'cell-0' }, 'Unknown cell id "cell-0"'],
  [{}, 'replace needs cell_id'],
  [{ mode: 'insert' }, 'insert needs cell_type'],
] as const)('the edit %j is refused', (edit, message) =>
  expect(() => applyNotebookEdit(NOTEBOOK_TEXT, edit)).toThrow(message),
)

test.each([
  ['{', 'not valid JSON'],
  ['[]', 'no list of cells'],
  ['{"cells": {}}', 'no list of cells'],
  ['{"cells": [{"id": "a"}, {"id": "a"}]}', '2 cells have the id "a"'],
  ['{"cells": [{"id": "a"}]}', 'no source to replace'],
])('the notebook %s is refused', (text, message) =>
  expect(() => applyNotebookEdit(text, { cellId: 'a' })).toThrow(message),
)

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
      const cellsWithIds = cells.map((each, at) => ({ id: `id${at}`, ...each }))
      return JSON.stringify({ nbformat: 4, nbformat_minor: 5, cells: cellsWithIds, z: 1 }, null, indent).replaceAll(
        '\n',
        lineEnd,
      )
    })

  test('only the requested cell changes', () => {
    fc.assert(
      fc.property(
        notebookText,
        fc.nat(),
        fc.string(),
        fc.constantFrom('replace', 'insert', 'delete'),
        (text, cellSeed, source, mode) => {
          const notebookBefore = JSON.parse(text)
          const index = cellSeed % notebookBefore.cells.length
          const edit = {
            mode,
            source,
            cellId: `id${index}`,
            ...(mode === 'insert' && { cellType: 'markdown' as const }),
          }
          const notebookAfter = JSON.parse(applyNotebookEdit(text, edit))
          const changedNotebook = { ...notebookBefore, cells: [...notebookBefore.cells] }
          const cellBefore = notebookBefore.cells[index]
          if (mode === 'delete') changedNotebook.cells.splice(index, 1)
          else if (mode === 'insert')
            changedNotebook.cells.splice(index + 1, 0, {
              cell_type: 'markdown',
              id: 'fresh',
              metadata: {},
              source: toLines(source),
            })
          else changedNotebook.cells[index] = { ...cellBefore, ...replacedMembers(cellBefore, source) }
          expect(notebookAfter).toEqual(changedNotebook)
        },
      ),
      createPropertyOptions(),
    )
  })

  function replacedMembers(originalCell: { cell_type: string; source: unknown }, source: string) {
    const newSource = typeof originalCell.source === 'string' ? source : toLines(source)
    return originalCell.cell_type === 'code'
      ? { source: newSource, outputs: [], execution_count: null }
      : { source: newSource }
  }

  function toLines(source: string): string[] {
    const parts = source.split('\n').map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line))
    return parts.at(-1) === '' ? parts.slice(0, -1) : parts
  }
})
