import { describe, expect, test } from 'vitest'
import { compareTexts, createUnifiedPatch } from '../../edits/unified-patch.js'
import { runSteps } from '../../shared/steps.js'
import { formatChange } from './change-text.js'

const format = (before: string, after: string, options: object = {}) =>
  formatChange({
    summary: 'Changed a.txt',
    patch: runSteps(createUnifiedPatch(compareTexts(before, after))),
    ...options,
  })
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`)

describe('a change is told to the model in one line', () => {
  test.each([
    ['one new line', 'a\nb\nc\n', 'a\nB\nc\n', 'Changed a.txt, line 2.'],
    ['lines that were added', 'a\nb\n', 'a\nx\ny\nb\n', 'Changed a.txt, lines 2-3; 2 lines more.'],
    ['a line that was removed', 'a\nb\nc\n', 'a\nc\n', 'Changed a.txt, line 2; 1 line fewer.'],
    ['the first line of an empty file', '', 'a\n', 'Changed a.txt, line 1; 1 line more.'],
    ['no difference', 'a\n', 'a\n', 'Changed a.txt.'],
  ])('%s', (_name, before, after, text) => expect(format(before, after)).toBe(text))

  test('two places far apart', () => {
    const lines = numbered(30)
    const after = lines.with(4, 'five\n').toSpliced(20, 1, 'x\n', 'y\n')

    expect(format(lines.join(''), after.join(''))).toBe('Changed a.txt, lines 5, 21-22; 1 line more.')
  })

  test('so many places that not all are listed', () => {
    const lines = numbered(250)
    const after = lines.map((line, index) => (index % 10 === 0 ? `new ${line}` : line))

    expect(format(lines.join(''), after.join(''))).toMatch(/, lines 1, 11, .*, 191 and 5 more places\.$/)
  })

  test('a patch that was cut names only where it starts', () => {
    const after = numbered(2_000).map((line) => `new ${line}`)

    expect(format(numbered(2_000).join(''), after.join(''))).toBe('Changed a.txt, from line 1.')
  })
})

test('new lines are shown, with their numbers, only if the model does not know them', () => {
  expect(format('a\nb\nc\n', 'a\nB\nc\n', { showsLines: true, remarks: ['Formatted.'] })).toBe(
    'Changed a.txt, line 2.\nFormatted.\n2\tB',
  )
})
