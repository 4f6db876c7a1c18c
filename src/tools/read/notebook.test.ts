import { expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { parseNotebook } from './notebook.js'

const notebook = (cells: unknown[], metadata: unknown = {}) => JSON.stringify({ cells, metadata, nbformat: 4 })

test('cells are parsed with their sources, ids and outputs', () => {
  const text = notebook(
    [
      { cell_type: 'markdown', id: 'intro', source: ['# Title\n', 'text'], metadata: {} },
      {
        cell_type: 'code',
        execution_count: 3,
        source: 'plot()',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['a\n', 'b\n'] },
          { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': '<Figure>' } },
          { output_type: 'execute_result', data: { 'text/html': '<b>1</b>', 'text/plain': ['1'] } },
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[0;31mE\u001b[0m: v'] },
        ],
      },
    ],
    { language_info: { name: 'julia' } },
  )

  const parsedNotebook = runSteps(parseNotebook(text))
  expect({ ...parsedNotebook, cells: [...(parsedNotebook?.cells(0) ?? [])] }).toEqual({
    language: 'julia',
    cellCount: 2,
    cells: [
      { id: 'intro', type: 'markdown', source: '# Title\ntext', outputs: [] },
      {
        id: 'cell-1',
        type: 'code',
        source: 'plot()',
        executionCount: 3,
        outputs: [
          { kind: 'text', text: 'a\nb\n' },
          { kind: 'image', base64: 'aGk=\n' },
          { kind: 'text', text: '<Figure>' },
          { kind: 'text', text: '1' },
          { kind: 'error', text: 'E: v' },
        ],
      },
    ],
  })
})

test.each(['', '{', '[]', '{"cells": 1}', 'null'])('%j is not a notebook', (text) =>
  expect(runSteps(parseNotebook(text))).toBeUndefined(),
)

test('cells of any shape are parsed without an error', () => {
  const text = notebook([null, 1, {}, { outputs: [null, { data: 1 }], source: [1, 'a'] }])
  const cells = [...(runSteps(parseNotebook(text))?.cells(0) ?? [])]
  expect(cells.map(({ type, source, outputs }) => [type, source, outputs])).toEqual([
    ['raw', '', []],
    ['raw', '', []],
    ['raw', '', []],
    ['raw', 'a', []],
  ])
})
