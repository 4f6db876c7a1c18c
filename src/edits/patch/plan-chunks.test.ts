import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { changedText } from '../text/text-change.js'
import { parsePatch } from './parse-patch.js'
import { planChunks } from './plan-chunks.js'

function patched(text: string, chunks: string) {
  const [section] = parsePatch(`*** Begin Patch\n*** Update File: a\n${chunks}\n*** End Patch`)
  if (section?.kind !== 'update') throw new Error('no update')
  const plan = planChunks(text, section.chunks)
  return plan.kind === 'found' ? changedText(text, plan.changes) : plan
}

const failed = (kind: string, chunk = 1) =>
  expect.objectContaining({ chunk, problem: expect.objectContaining({ kind }) })

test.each([
  ['one line', 'a1\nb1\nc1\n', ' a1\n-b1\n+b2', 'a1\nb2\nc1\n'],
  ['two chunks', 'a1\nb1\nc1\nd1\n', '-a1\n+a2\n@@\n-d1\n+d2', 'a2\nb1\nc1\nd2\n'],
  ['chunks out of order', 'a1\nb1\nc1\n', '-c1\n+c2\n@@\n-a1\n+a2', 'a2\nb1\nc2\n'],
  ['a removal', 'a1\nb1\nc1\n', ' a1\n-b1\n c1', 'a1\nc1\n'],
  ['CRLF', 'a1\r\nb1\r\n', ' a1\n+n\n b1', 'a1\r\nn\r\nb1\r\n'],
  ['no final newline', 'a1\nb1', ' a1\n-b1\n+b2\n+c2', 'a1\nb2\nc2'],
  ['the last line without its newline removed', 'a1\nb1', ' a1\n-b1', 'a1'],
  ['trailing blanks', 'a1 \nb1\n', ' a1\n-b1\n+b2', 'a1 \nb2\n'],
  ['indentation', '    a1:\n      b1\n', ' a1:\n-  b1\n+  b2', '    a1:\n      b2\n'],
  ['quotes', 'say “a”\nb1\n', ' say "a"\n-b1\n+b2', 'say “a”\nb2\n'],
  ['an anchor', 'f:\n  x1\n  y1\ng:\n  x1\n  y1\n', '@@ g:\n   x1\n-  y1\n+  y2', 'f:\n  x1\n  y1\ng:\n  x1\n  y2\n'],
  [
    'anchors within anchors',
    'A:\n  f:\n    x1\nB:\n  f:\n    x1\n',
    '@@ B:\n@@ f:\n-    x1\n+    x2',
    'A:\n  f:\n    x1\nB:\n  f:\n    x2\n',
  ],
  ['a brace on its own line', 'f\n{\n  x1\n}\ng\n{\n  x1\n}\n', '@@ f\n-  x1\n+  x2', 'f\n{\n  x2\n}\ng\n{\n  x1\n}\n'],
  ['the order of chunks', 'x1\nm1\nx1\n', '-m1\n+m2\n@@\n-x1\n+x2', 'x1\nm2\nx2\n'],
  ['a line number', 'x1\nm\nx1\n', '@@ -3,1 +3,1 @@\n-x1\n+x2', 'x1\nm\nx2\n'],
  ['the end of the file', 'x1\nm\nx1\n', '-x1\n+x2\n*** End of File', 'x1\nm\nx2\n'],
  ['lines only added below an anchor', 'a1\r\nb1\r\n', '@@ a1\n+n', 'a1\r\nn\r\nb1\r\n'],
  ['lines only added at the end', 'a1\nb1', '+n\n*** End of File', 'a1\nb1\nn'],
  ['lines only added to an empty file', '', '+n', 'n\n'],
])('%s', (_, text, chunks, result) => {
  expect(patched(text, chunks)).toBe(result)
})

describe('an uncertain place is refused', () => {
  test.each([
    ['the same lines twice', 'x1\nm\nx1\n', '-x1\n+x2', failed('ambiguous')],
    ['part of a line', 'xx1\n', '-x1\n+x2', failed('missing')],
    ['a second chunk that is not there', 'a1\n', '-a1\n+a2\n@@\n-b1\n+b2', failed('missing', 2)],
    ['an anchor that is not there', 'a1\n', '@@ class Q\n-a1\n+a2', failed('anchor missing')],
    ['lines outside the block of their anchor', 'f:\n  x2\ng:\n  x1\n', '@@ f:\n-  x1\n+  x3', failed('missing')],
    ['an anchor twice, with the lines in both', 'f:\n  x1\nf:\n  x1\n', '@@ f:\n-  x1\n+  x2', failed('ambiguous')],
    ['lines only added, without a place', 'a1\n', '+n', failed('no context')],
    ['chunks that overlap', 'a1\nb1\nc1\n', ' a1\n-b1\n@@\n-b1\n c1', failed('overlap', 2)],
    ['a line number that matches no candidate', 'x1\nm\nx1\n', '@@ -2,1 +2,1 @@\n-x1\n+x2', failed('ambiguous')],
    [
      'a chunk order that would need a looser match',
      'm1\nx1 \nk\nx1\t\nm2\n  x1\n',
      '-m2\n+m3\n@@\n-x1\n+x2',
      failed('ambiguous', 2),
    ],
  ])('%s', (_, text, chunks, result) => {
    expect(patched(text, chunks)).toEqual(result)
  })
})

test('a patch of any change is applied exactly or fails', () => {
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
        const marked = (mark: string, part: readonly (readonly [string, string])[]) => part.map(([text]) => mark + text)
        const chunk = [
          ...marked(' ', all.slice(Math.max(0, start - 3), start)),
          ...marked('-', all.slice(start, end)),
          ...added.map((text) => `+${text}`),
          ...marked(' ', all.slice(end, end + 3)),
        ]
        const text = all.map((each) => each.join('')).join('')
        const result = patched(text, chunk.join('\n'))
        if (typeof result !== 'string') return
        const rest = (part: readonly (readonly [string, string])[]) => part.map((each) => each.join('')).join('')
        expect(result.startsWith(rest(all.slice(0, start)))).toBe(true)
        expect(result.endsWith(rest(all.slice(end)))).toBe(true)
        expect(result.replace(/\r\n?/g, '\n').split('\n').length).toBe(all.length - (end - start) + added.length + 1)
      },
    ),
    propertyRuns(500),
  )
})
