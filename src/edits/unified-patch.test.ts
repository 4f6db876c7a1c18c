import { applyPatch } from 'diff'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSteps } from '../shared/steps.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { applyTextChanges, ChangeExtent, type TextChange } from './text/text-change.js'
import { createUnifiedPatch } from './unified-patch.js'

function patchOf(textBefore: string, changes: readonly TextChange[]): string {
  const extent = new ChangeExtent()
  extent.add(textBefore, changes)
  return runSteps(createUnifiedPatch(extent.compareTexts(textBefore, applyTextChanges(textBefore, changes))))
}

test('a unified patch shows a change with three lines of context', () => {
  const textBefore = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('')
  const at = textBefore.indexOf('line 10')
  expect(patchOf(textBefore, [{ start: at, end: at + 7, text: 'changed' }])).toBe(
    `@@ -7,7 +7,7 @@
 line 7
 line 8
 line 9
-line 10
+changed
 line 11
 line 12
 line 13`,
  )
})

test('a unified patch omits carriage returns and marks a missing final newline', () => {
  expect(patchOf('a\r\nb', [{ start: 3, end: 4, text: 'c' }])).toBe(`@@ -1,2 +1,2 @@
 a
-b
\\ No newline at end of file
+c
\\ No newline at end of file`)
})

test('a unified patch applied to the old text yields the new text', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 40 }).map((lines) => lines.join(''))
  const change = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('', 'x\n', 'b\nb\n', 'y'))
  fc.assert(
    fc.property(
      text,
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', 'end'),
      (body, parts, end) => {
        const textBefore = body + end
        const offsets = parts
          .flatMap(([one, two]) => [one % (textBefore.length + 1), two % (textBefore.length + 1)])
          .sort((a, b) => a - b)
        const changes = parts.map(([, , added], index) => ({
          start: offsets[2 * index] ?? 0,
          end: offsets[2 * index + 1] ?? 0,
          text: added,
        }))
        const textAfter = applyTextChanges(textBefore, changes)
        fc.pre(textBefore !== textAfter)
        expect(applyPatch(textBefore, `--- a\n+++ a\n${patchOf(textBefore, changes)}\n`)).toBe(textAfter)
      },
    ),
    createPropertyOptions(500),
  )
})

test('a long patch is cut and states how many lines are not shown', () => {
  const textBefore = 'a\n'.repeat(5_000)
  const patch = patchOf(textBefore, [{ start: 0, end: textBefore.length, text: 'b\n'.repeat(5_000) }])
  expect(patch.length).toBeLessThan(8_200)
  expect(patch).toMatch(/\[\d+ more patch lines not shown\]$/)
})

test('the patch of a change with too many lines to compare shows its size and its first lines', () => {
  const patch = patchOf('a\n'.repeat(200_000), [{ start: 0, end: 400_000, text: 'b\n'.repeat(100_000) }])
  expect(patch).toMatch(/^@@ -1,200000 \+1,100000 @@\n-a\n-a\n/)
  const shownCount = patch.split('\n').length - 1
  expect(patch.endsWith(`\n[${300_001 - shownCount} more patch lines not shown]`)).toBe(true)
})
