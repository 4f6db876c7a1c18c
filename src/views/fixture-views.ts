import fc from 'fast-check'
import * as build from '../contract/view-builders.js'
import type { View } from '../contract/views.js'

/** Sequences that would control a terminal, and characters that hide or reorder text. */
export const HOSTILE_TEXTS = [
  '\u001b[2J\u001b[H',
  '\u001b]0;title\u0007',
  '\u001b]52;c;aGk=\u0007',
  '\u001bP+q\u001b\\',
  '\u009b31m',
  '\u009d8;;http://evil\u009c',
  '\u0007\b\r\u000b\u000c\u007f',
  '\u202etxt.exe',
  '\u2066x\u2069',
  '\ufeff',
  '\ud800',
  '\u2028\u2029',
]

/** Text with any characters: words, wide characters, joined emoji, line breaks, tabs and hostile sequences. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(...HOSTILE_TEXTS),
      fc.constantFrom(
        '漢字かな',
        '👨‍👩‍👧‍👦',
        'é',
        '\n',
        '\t',
        ' ',
        '🇩🇪',
        '```ts\nconst a = 1\n```\n',
        '- item\n',
        '| a | b |\n|-|-|\n',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** Views of every type, nested. */
export const anyView: fc.Arbitrary<View> = fc.letrec<{ view: View }>((tie) => ({
  view: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    anyText.map((text) => build.text(text, { tone: 'error', bold: true })),
    anyText.map(build.markdown),
    fc
      .tuple(anyText, fc.option(fc.nat(2_000), { nil: undefined }))
      .map(([text, firstLine]) =>
        build.code(text, { language: 'a.ts', ...(firstLine !== undefined && { firstLine }) }),
      ),
    fc
      .tuple(anyText, fc.array(anyText, { maxLength: 4 }), fc.nat(9_999))
      .map(([path, lines, start]) =>
        build.diff(path, [
          { oldStart: start, newStart: start + 1, lines: lines.map((line, index) => ' -+'[index % 3] + line) },
        ]),
      ),
    fc.tuple(anyText, anyText).map(([text, href]) => build.link(text, href)),
    fc.tuple(anyText, anyText).map(([text, path]) => build.fileLink(path, 3, text)),
    fc.tuple(anyText, fc.nat(), fc.nat()).map(([label, done, total]) => build.progress(label, { done, total })),
    anyText.map((alt) => build.image(alt, 'image/png', '')),
    fc.array(tie('view'), { maxLength: 4 }),
    fc
      .tuple(fc.array(tie('view'), { maxLength: 3 }), fc.boolean())
      .map(([items, isOrdered]) => build.list(items, { isOrdered })),
    fc
      .tuple(fc.array(anyText, { maxLength: 4 }), fc.array(fc.array(tie('view'), { maxLength: 4 }), { maxLength: 3 }))
      .map(([columns, rows]) => build.table(columns, rows)),
    fc
      .array(fc.tuple(anyText, tie('view')), { maxLength: 3 })
      .map((entries) => build.fields(Object.fromEntries(entries))),
    fc.array(tie('view'), { maxLength: 4 }).map((children) => build.inline(...children)),
    fc.array(tie('view'), { maxLength: 4 }).map((children) => build.block(...children)),
    fc.tuple(tie('view'), tie('view')).map(([summary, content]) => build.collapsible(summary, content)),
  ),
})).view

/** Finds a control character other than in the sequences for styles and links. */
export function findControlSequence(output: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this test looks for control characters
  const withoutStyles = output.replace(/\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\/g, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this test looks for control characters
  return /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u.exec(withoutStyles)?.[0]
}
