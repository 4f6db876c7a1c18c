import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { anyText } from './fixture-views.js'
import { loadLanguages } from './highlight.js'
import { MarkdownStream, renderMarkdown } from './markdown-stream.js'
import { type StyledLine, textOfLine } from './styled-line.js'
import { widthOfLine } from './text-width.js'

beforeAll(() => loadLanguages(['ts', 'python']))

const ANSWER = `# Title
Some **bold** and \`code\` with [a link](https://example.com).
second line

- one
  - nested

    with a paragraph
- two
  \`\`\`ts
  /* a comment
     of two lines */
  f(1)
  \`\`\`
2. second
- [x] done

> quoted
> text

| Name | Value |
| --- | --- |
| a | b |

Setext
------
***
    indented
end`

const DRAWN_ANSWER = [
  '# Title',
  'Some bold and code with a link (https://example.com).',
  'second line',
  '',
  '• one',
  '  • nested',
  '',
  '    with a paragraph',
  '• two',
  '  ```ts',
  '  /* a comment',
  '     of two lines */',
  '  f(1)',
  '  ```',
  '2. second',
  '[x] done',
  '',
  '> quoted',
  '> text',
  '',
  'Name  Value',
  '----  -----',
  'a     b',
  '',
  '## Setext',
  '---',
  '```',
  'indented',
  '```',
  'end',
]

const textsOf = (lines: readonly StyledLine[]) => lines.map(textOfLine)

test('an answer keeps its structure, and code, lists and tables are readable without colours', () => {
  expect(textsOf(renderMarkdown(ANSWER, {}))).toEqual(DRAWN_ANSWER)
})

test('the lines do not depend on how the text is split', () => {
  const split = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constant(ANSWER)), split, (source, lengths) => {
      const stream = new MarkdownStream()
      const lines: StyledLine[] = []
      for (let start = 0, index = 0; start < source.length; index++) {
        const length = lengths[index % lengths.length] ?? 1
        lines.push(...stream.push(source.slice(start, start + length)))
        start += length
      }
      expect([...lines, ...stream.end()]).toEqual(renderMarkdown(source, {}))
    }),
  )
})

test('each line of a code block is finished when it arrives, and an open comment keeps its colour', () => {
  const stream = new MarkdownStream()
  stream.push('```ts\n/* one\n')
  const [line] = stream.push('two */ const a = 1\n')
  expect(line?.[0]).toEqual({ text: 'two */', style: { tone: 'comment' } })
  expect(line?.find(({ text }) => text === 'const')?.style).toEqual({ tone: 'keyword' })
})

test('the open block is drawn within the width', () => {
  const stream = new MarkdownStream()
  expect(stream.push('A paragraph that has **many** words\nand no end')).toEqual([])
  const rows = stream.renderOpenBlock(20)
  expect(textsOf(rows)).toEqual(['A paragraph that has', 'many words', 'and no end'])
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 60 }), (source, width) => {
      const openStream = new MarkdownStream()
      openStream.push(source)
      for (const row of openStream.renderOpenBlock(width)) expect(widthOfLine(row)).toBeLessThanOrEqual(width)
    }),
  )
})

test('the open block stays small however long the answer is', () => {
  const stream = new MarkdownStream()
  const countCharsOfOpenBlock = () => stream.renderOpenBlock(1_000).map(textOfLine).join('').length
  for (let index = 0; index < 500; index++) {
    stream.push(`Paragraph ${index} with some words.\n\n- item ${index}\n`)
    // Only the last item is open: everything before it was returned.
    expect(countCharsOfOpenBlock()).toBeLessThan(40)
  }
})

test('an endless paragraph or line is finished in parts', () => {
  const stream = new MarkdownStream()
  let finishedCount = 0
  for (let index = 0; index < 2_000; index++)
    finishedCount += stream.push('one more line of the same paragraph\n').length
  expect(finishedCount).toBeGreaterThan(1_000)
  expect(stream.push('x'.repeat(200_000)).length).toBeGreaterThan(0)
})

test('deeply nested quotes and endless emphasis are drawn', () => {
  expect(textsOf(renderMarkdown('_a'.repeat(20_000), {}))).toEqual(['_a'.repeat(20_000)])
  expect(renderMarkdown('>'.repeat(3_000), {}).length).toBeGreaterThan(0)
})
