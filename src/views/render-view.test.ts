import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  block,
  code,
  collapsible,
  diff,
  fields,
  fileLink,
  inline,
  link,
  list,
  progress,
  table,
  text,
} from '../contract/view-builders.js'
import type { View } from '../contract/views.js'
import { anyText, anyView, findControlSequence } from './fixture-views.js'
import { loadLanguages } from './highlight.js'
import { renderView } from './render-view.js'
import { textOfLine } from './styled-line.js'
import { widthOfLine } from './text-width.js'
import { chooseTheme, THEME_NAMES } from './themes.js'
import { toAnsi } from './to-ansi.js'

beforeAll(() => loadLanguages(['ts', 'json']))

const MANY_COLOURS = { TERM: 'xterm-256color', VTE_VERSION: '7600' }

function draw(view: View, options: { width?: number; verbose?: boolean; isScreenReader?: boolean } = {}): string[] {
  return renderView(view, { verbose: true, ...options }).map(textOfLine)
}

describe('for any view', () => {
  test('no row is wider than the screen, at 1 to 200 columns', () => {
    fc.assert(
      fc.property(
        anyView,
        fc.oneof(fc.constant(40), fc.integer({ min: 1, max: 200 })),
        fc.boolean(),
        (view, width, isScreenReader) => {
          for (const line of renderView(view, { width, verbose: true, isScreenReader })) {
            expect(widthOfLine(line)).toBeLessThanOrEqual(width)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('no control sequence in its text is written to the terminal, in any theme', () => {
    const themes = THEME_NAMES.map((name) => chooseTheme({ name, variables: MANY_COLOURS }))
    fc.assert(
      fc.property(
        anyView,
        fc.constantFrom(...themes),
        fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
        (view, theme, width) => {
          for (const line of renderView(view, { width, verbose: true, cwd: '/project' })) {
            expect(findControlSequence(toAnsi(line, theme))).toBeUndefined()
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('lines that did not come from a view are escaped too', () => {
    fc.assert(
      fc.property(anyText, anyText, (content, href) => {
        const theme = chooseTheme({ name: 'dark', variables: MANY_COLOURS })
        expect(
          findControlSequence(toAnsi([{ text: content, style: { href: `https://${href}` } }], theme)),
        ).toBeUndefined()
      }),
    )
  })

  test('wrapping removes nothing but spaces', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 60 }), (content, width) => {
        const removeSpaces = (lines: readonly string[]) => lines.join('').replaceAll(' ', '')
        expect(removeSpaces(draw(content, { width }))).toBe(removeSpaces(draw(content)))
      }),
      {
        examples: [
          // One character of three columns.
          ['𝅘𝅥𝅮', 2],
          ['\u00a0\u3000abc', 2],
        ],
      },
    )
  })
})

test('a value that is not a view is drawn as a note instead of throwing', () => {
  expect(draw({ type: 'list' } as unknown as View)).toEqual(['[a view that cannot be drawn]'])
  expect(draw(block('before', { type: 'element', props: {} } as unknown as View))).toEqual([
    'before',
    '[a view that cannot be drawn]',
  ])
})

test('a changed file has line numbers and signs', () => {
  const change = diff('a.txt', [
    { oldStart: 9, newStart: 9, lines: [' a', '-b', '+c', ' d'] },
    { oldStart: 40, newStart: 40, lines: ['+e'] },
  ])
  expect(draw(change)).toEqual([' 9   a', '10 - b', '10 + c', '11   d', '   …', '40 + e'])
})

test('changed code keeps its colours on the background of the change', () => {
  const [line] = renderView(diff('a.ts', [{ oldStart: 1, newStart: 1, lines: ['+const a = 1'] }]), { verbose: true })
  expect(line?.find(({ text: content }) => content === 'const')?.style).toEqual({
    tone: 'keyword',
    background: 'added',
  })
})

test('wrapped lines keep their indentation, markers and line numbers', () => {
  expect(draw(list(['one two three', 'four'], { isOrdered: true }), { width: 10 })).toEqual([
    '1. one two',
    '   three',
    '2. four',
  ])
  expect(draw(code('a b c d e f', { firstLine: 7 }), { width: 10 })).toEqual(['7  a b c d', '   e f'])
})

test('numbers in a table are aligned on the right', () => {
  const rows = [
    ['System prompt', '736', '0.4%'],
    ['Tools', '5.5k', '12.8%'],
  ]
  expect(draw(table(['part', 'tokens', 'share'], rows))).toEqual([
    'part           tokens  share',
    '-------------  ------  -----',
    'System prompt     736   0.4%',
    'Tools            5.5k  12.8%',
  ])
})

test('a table is aligned, then wraps its cells, then becomes a list of fields', () => {
  const view = table(
    ['Name', 'Text'],
    [
      ['a', 'some longer text of many words'],
      ['b', 'x'],
    ],
  )
  expect(draw(view, { width: 60 })).toEqual([
    'Name  Text',
    '----  ------------------------------',
    'a     some longer text of many words',
    'b     x',
  ])
  expect(draw(view, { width: 20 })).toEqual([
    'Name  Text',
    '----  --------------',
    'a     some longer',
    '      text of many',
    '      words',
    'b     x',
  ])
  expect(draw(table(['First', 'Second', 'Third'], [['1', '2', '3']]), { width: 12 })).toEqual([
    'First: 1',
    'Second: 2',
    'Third: 3',
  ])
})

test('collapsible content is drawn only with verbose', () => {
  expect(draw(collapsible('2 files', list(['a', 'b'])), { verbose: false })).toEqual(['2 files'])
  expect(draw(collapsible('2 files', list(['a', 'b'])))).toEqual(['2 files', '  • a', '  • b'])
})

test('a link shows its address, and a file its path and line', () => {
  expect(draw(link('docs', 'https://example.com'))).toEqual(['docs (https://example.com)'])
  const [line = []] = renderView(fileLink('src/a b.ts', 12), { verbose: true, cwd: '/project' })
  expect(textOfLine(line)).toBe('src/a b.ts:12')
  expect(toAnsi(line, chooseTheme({ name: '16-colours', variables: MANY_COLOURS }))).toContain(
    'file:///project/src/a%20b.ts#12',
  )
})

test('a javascript: link is only text', () => {
  const [line = []] = renderView(link('x', 'javascript:alert(1)'), { verbose: true })
  expect(toAnsi(line, chooseTheme({ name: 'dark', variables: MANY_COLOURS }))).not.toContain('\u001b]8')
})

test('a screen reader gets labels instead of signs and columns', () => {
  const options = { isScreenReader: true }
  expect(draw(diff('a.ts', [{ oldStart: 3, newStart: 3, lines: ['-x', '+y'] }]), options)).toEqual([
    'change of a.ts:',
    'removed line 3: x',
    'added line 3: y',
  ])
  expect(draw(table(['Name', 'Size'], [['a', '1']]), options)).toEqual(['Name: a', 'Size: 1'])
  expect(draw({ type: 'markdown', text: '## Plan\n```ts\nf()\n```' }, options)).toEqual([
    'heading level 2: Plan',
    'code, ts:',
    'f()',
    'end of code',
  ])
})

test('fields, progress and inline groups are drawn', () => {
  expect(draw(fields({ path: 'a.ts', edits: list(['x', 'y']), none: undefined }))).toEqual([
    'path: a.ts',
    'edits: ',
    '  • x',
    '  • y',
  ])
  expect(draw(progress('Copying', { done: 1, total: 3 }))).toEqual(['Copying 33% (1 of 3)'])
  expect(draw(inline('a', text('b', 'error'), ['c', 'd\ne']))).toEqual(['abcd', 'e'])
})

describe('themes', () => {
  const error = [{ text: 'x', style: { tone: 'error', bold: true } as const }]

  test('with NO_COLOR and in dumb terminals there are no escape sequences', () => {
    expect(toAnsi(error, chooseTheme({ name: 'dark', variables: { ...MANY_COLOURS, NO_COLOR: '1' } }))).toBe('x')
    expect(toAnsi(error, chooseTheme({ variables: { TERM: 'dumb' } }))).toBe('x')
  })

  test('a terminal with 16 colours gets the colours of its own palette', () => {
    expect(toAnsi(error, chooseTheme({ name: 'dark', variables: { TERM: 'xterm' } }))).toBe('\u001b[1;31mx\u001b[m')
  })

  test('the background decides between light and dark', () => {
    expect(chooseTheme({ variables: { ...MANY_COLOURS, COLORFGBG: '0;15' } }).name).toBe('light')
    expect(chooseTheme({ variables: MANY_COLOURS, background: 'light' }).name).toBe('light')
    expect(chooseTheme({ variables: { ...MANY_COLOURS, COLORFGBG: '15;0' } }).name).toBe('dark')
  })

  test('additions and removals differ without red and green for the colour-blind', () => {
    const { tones } = chooseTheme({ name: 'colour-blind', variables: MANY_COLOURS })
    expect([tones.added, tones.removed]).toEqual(['38;5;75', '38;5;214'])
  })
})

test('a file inside the working directory is shown relative to it', () => {
  const createFileLink = (path: string) => ({ type: 'link', text: path, href: `file:${path}` }) as const
  const renderLink = (path: string) =>
    renderView(createFileLink(path), { verbose: false, cwd: '/project' }).map(textOfLine)
  expect(renderLink('/project/src/a.ts')).toEqual(['src/a.ts'])
  expect(renderLink('/projects/a.ts')).toEqual(['/projects/a.ts'])
  expect(renderLink('/project')).toEqual(['/project'])
})
