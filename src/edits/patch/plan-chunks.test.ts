import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runSteps } from '../../shared/steps.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { applyTextChanges } from '../text/text-change.js'
import { parsePatch } from './parse-patch.js'
import { planChunks } from './plan-chunks.js'

function applyPatch(text: string, chunks: string) {
  const [section] = parsePatch(`*** Begin Patch\n*** Update File: a\n${chunks}\n*** End Patch`)
  if (section?.kind !== 'update') throw new Error('the patch has no update section')
  const plan = runSteps(planChunks(text, section.chunks))
  return plan.kind === 'found' ? applyTextChanges(text, plan.changes) : plan
}

const createFailure = (kind: string, chunk = 1) =>
  expect.objectContaining({ chunk, problem: expect.objectContaining({ kind }) })

test.each([
  ['one changed line', 'a1\nb1\nc1\n', ' a1\n-b1\n+b2', 'a1\nb2\nc1\n'],
  ['two chunks', 'a1\nb1\nc1\nd1\n', '-a1\n+a2\n@@\n-d1\n+d2', 'a2\nb1\nc1\nd2\n'],
  ['chunks out of order', 'a1\nb1\nc1\n', '-c1\n+c2\n@@\n-a1\n+a2', 'a2\nb1\nc2\n'],
  ['a removed line', 'a1\nb1\nc1\n', ' a1\n-b1\n c1', 'a1\nc1\n'],
  ['a file with CRLF', 'a1\r\nb1\r\n', ' a1\n+n\n b1', 'a1\r\nn\r\nb1\r\n'],
  ['a file without a final newline', 'a1\nb1', ' a1\n-b1\n+b2\n+c2', 'a1\nb2\nc2'],
  ['the last line without its newline removed', 'a1\nb1', ' a1\n-b1', 'a1'],
  ['a file with trailing blanks', 'a1 \nb1\n', ' a1\n-b1\n+b2', 'a1 \nb2\n'],
  ['lines sent with other indentation', '    a1:\n      b1\n', ' a1:\n-  b1\n+  b2', '    a1:\n      b2\n'],
  ['lines sent with other quotes', 'say “a”\nb1\n', ' say "a"\n-b1\n+b2', 'say “a”\nb2\n'],
  [
    'a place chosen by an anchor',
    'f:\n  x1\n  y1\ng:\n  x1\n  y1\n',
    '@@ g:\n   x1\n-  y1\n+  y2',
    'f:\n  x1\n  y1\ng:\n  x1\n  y2\n',
  ],
  [
    'a place chosen by nested anchors',
    'A:\n  f:\n    x1\nB:\n  f:\n    x1\n',
    '@@ B:\n@@ f:\n-    x1\n+    x2',
    'A:\n  f:\n    x1\nB:\n  f:\n    x2\n',
  ],
  [
    'an anchor with its brace on the next line',
    'f\n{\n  x1\n}\ng\n{\n  x1\n}\n',
    '@@ f\n-  x1\n+  x2',
    'f\n{\n  x2\n}\ng\n{\n  x1\n}\n',
  ],
  ['a place chosen by the order of chunks', 'x1\nm1\nx1\n', '-m1\n+m2\n@@\n-x1\n+x2', 'x1\nm2\nx2\n'],
  ['a place chosen by a line number', 'x1\nm\nx1\n', '@@ -3,1 +3,1 @@\n-x1\n+x2', 'x1\nm\nx2\n'],
  ['a place chosen by the end mark', 'x1\nm\nx1\n', '-x1\n+x2\n*** End of File', 'x1\nm\nx2\n'],
  ['lines only added below an anchor', 'a1\r\nb1\r\n', '@@ a1\n+n', 'a1\r\nn\r\nb1\r\n'],
  ['lines only added at the end', 'a1\nb1', '+n\n*** End of File', 'a1\nb1\nn'],
  ['lines only added to an empty file', '', '+n', 'n\n'],
])('a patch is applied exactly: %s', (_, text, chunks, result) => {
  expect(applyPatch(text, chunks)).toBe(result)
})

describe('a chunk whose position is uncertain is refused', () => {
  test.each([
    ['the file has the same lines twice', 'x1\nm\nx1\n', '-x1\n+x2', createFailure('ambiguous')],
    ['the chunk has only part of a line', 'xx1\n', '-x1\n+x2', createFailure('missing')],
    ['the file lacks the lines of the second chunk', 'a1\n', '-a1\n+a2\n@@\n-b1\n+b2', createFailure('missing', 2)],
    ['the file lacks the anchor', 'a1\n', '@@ class Q\n-a1\n+a2', createFailure('anchor missing')],
    [
      'the lines are outside the block of their anchor',
      'f:\n  x2\ng:\n  x1\n',
      '@@ f:\n-  x1\n+  x3',
      createFailure('missing'),
    ],
    [
      'the anchor occurs twice, with the lines below both',
      'f:\n  x1\nf:\n  x1\n',
      '@@ f:\n-  x1\n+  x2',
      createFailure('ambiguous'),
    ],
    ['the chunk only adds lines and names no place', 'a1\n', '+n', createFailure('no context')],
    ['two chunks overlap', 'a1\nb1\nc1\n', ' a1\n-b1\n@@\n-b1\n c1', createFailure('overlap', 2)],
    ['the line number matches no candidate', 'x1\nm\nx1\n', '@@ -2,1 +2,1 @@\n-x1\n+x2', createFailure('ambiguous')],
    [
      'only a looser match would fit the order of the chunks',
      'm1\nx1 \nk\nx1\t\nm2\n  x1\n',
      '-m2\n+m3\n@@\n-x1\n+x2',
      createFailure('ambiguous', 2),
    ],
  ])('because %s', (_, text, chunks, result) => {
    expect(applyPatch(text, chunks)).toEqual(result)
  })
})

test('any patch is either applied exactly or refused', () => {
  const line = fc.constantFrom('a', 'b', '  c', 'd "x"')
  const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { minLength: 3, maxLength: 15 })
  fc.assert(
    fc.property(
      lines,
      fc.nat(),
      fc.nat(2),
      fc.array(fc.constantFrom('n1', 'n2'), { maxLength: 3 }),
      (all, at, count, added) => {
        const start = at % all.length
        const end = Math.min(all.length, start + count)
        const markLines = (mark: string, chunkLines: readonly (readonly [string, string])[]) =>
          chunkLines.map(([text]) => mark + text)
        const joinLines = (chunkLines: readonly (readonly [string, string])[]) =>
          chunkLines.map((lines) => lines.join('')).join('')
        const chunk = [
          ...markLines(' ', all.slice(Math.max(0, start - 3), start)),
          ...markLines('-', all.slice(start, end)),
          ...added.map((text) => `+${text}`),
          ...markLines(' ', all.slice(end, end + 3)),
        ]
        const text = joinLines(all)
        const result = applyPatch(text, chunk.join('\n'))
        if (typeof result !== 'string') return
        expect(result.startsWith(joinLines(all.slice(0, start)))).toBe(true)
        expect(result.endsWith(joinLines(all.slice(end)))).toBe(true)
        expect(result.replace(/\r\n?/g, '\n').split('\n').length).toBe(all.length - (end - start) + added.length + 1)
      },
    ),
    createPropertyOptions(500),
  )
})
