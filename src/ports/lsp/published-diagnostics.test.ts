import { expect, test } from 'vitest'
import type { LspDiagnostic } from '../../contract/ports/lsp.js'
import { selectNewDiagnostics } from './published-diagnostics.js'

const problem = (message: string, line: number, more: Partial<LspDiagnostic> = {}): LspDiagnostic => ({
  path: '/a.ts',
  line,
  character: 1,
  severity: 'error',
  message,
  ...more,
})

test.each([
  ['nothing before', [], [problem('x', 1)], [problem('x', 1)]],
  ['the same', [problem('x', 1)], [problem('x', 1)], []],
  ['the same in another line', [problem('x', 1)], [problem('x', 9)], []],
  ['one more of the same', [problem('x', 5)], [problem('x', 2), problem('x', 5)], [problem('x', 2)]],
  ['one more of the same, and lines moved', [problem('x', 5)], [problem('x', 2), problem('x', 6)], [problem('x', 6)]],
  ['another message', [problem('x', 1)], [problem('y', 1)], [problem('y', 1)]],
  ['another severity', [problem('x', 1, { severity: 'warning' })], [problem('x', 1)], [problem('x', 1)]],
  ['another file', [problem('x', 1, { path: '/b.ts' })], [problem('x', 1)], [problem('x', 1)]],
  ['fewer', [problem('x', 1), problem('y', 2)], [problem('y', 2)], []],
])('selectNewDiagnostics returns only the added diagnostics: %s', (_, before, after, expected) => {
  expect(selectNewDiagnostics(before, after)).toEqual(expected)
})
