import { expect, test } from 'vitest'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { selectNewDiagnostics } from './published-diagnostics.js'

const problem = (message: string, line: number, extraFields: Partial<LspDiagnostic> = {}): LspDiagnostic => ({
  path: '/a.ts',
  line,
  character: 1,
  severity: 'error',
  message,
  ...extraFields,
})

test.each([
  ['none before', [], [problem('x', 1)], [problem('x', 1)]],
  ['the same diagnostic', [problem('x', 1)], [problem('x', 1)], []],
  ['the same diagnostic in another line', [problem('x', 1)], [problem('x', 9)], []],
  ['one more of the same diagnostic', [problem('x', 5)], [problem('x', 2), problem('x', 5)], [problem('x', 2)]],
  [
    'one more of the same diagnostic in lines that moved',
    [problem('x', 5)],
    [problem('x', 2), problem('x', 6)],
    [problem('x', 6)],
  ],
  ['another message', [problem('x', 1)], [problem('y', 1)], [problem('y', 1)]],
  ['another severity', [problem('x', 1, { severity: 'warning' })], [problem('x', 1)], [problem('x', 1)]],
  ['another file', [problem('x', 1, { path: '/b.ts' })], [problem('x', 1)], [problem('x', 1)]],
  ['fewer diagnostics', [problem('x', 1), problem('y', 2)], [problem('y', 2)], []],
])(
  'selectNewDiagnostics returns only the diagnostics that were added, given %s',
  (_, diagnosticsBefore, diagnosticsAfter, expected) => {
    expect(selectNewDiagnostics(diagnosticsBefore, diagnosticsAfter)).toEqual(expected)
  },
)
