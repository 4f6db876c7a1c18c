import { expect, test } from 'vitest'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { selectNewDiagnostics } from './published-diagnostics.js'

const createProblem = (message: string, line: number, extraFields: Partial<LspDiagnostic> = {}): LspDiagnostic => ({
  path: '/a.ts',
  line,
  character: 1,
  severity: 'error',
  message,
  ...extraFields,
})

test.each([
  ['none before', [], [createProblem('x', 1)], [createProblem('x', 1)]],
  ['the same diagnostic', [createProblem('x', 1)], [createProblem('x', 1)], []],
  ['the same diagnostic in another line', [createProblem('x', 1)], [createProblem('x', 9)], []],
  [
    'one more of the same diagnostic',
    [createProblem('x', 5)],
    [createProblem('x', 2), createProblem('x', 5)],
    [createProblem('x', 2)],
  ],
  [
    'one more of the same diagnostic in lines that moved',
    [createProblem('x', 5)],
    [createProblem('x', 2), createProblem('x', 6)],
    [createProblem('x', 6)],
  ],
  ['another message', [createProblem('x', 1)], [createProblem('y', 1)], [createProblem('y', 1)]],
  [
    'another severity',
    [createProblem('x', 1, { severity: 'warning' })],
    [createProblem('x', 1)],
    [createProblem('x', 1)],
  ],
  ['another file', [createProblem('x', 1, { path: '/b.ts' })], [createProblem('x', 1)], [createProblem('x', 1)]],
  ['fewer diagnostics', [createProblem('x', 1), createProblem('y', 2)], [createProblem('y', 2)], []],
])(
  'selectNewDiagnostics returns only the diagnostics that were added, given %s',
  (_, diagnosticsBefore, diagnosticsAfter, expected) => {
    expect(selectNewDiagnostics(diagnosticsBefore, diagnosticsAfter)).toEqual(expected)
  },
)
