import type { DecodedText } from '../../shared/text-edit/decode-text.js'
import { fitMatch } from '../../shared/text-edit/fit-match.js'
import { foldLineEndings } from '../../shared/text-edit/fold-line-endings.js'
import { splitLines } from '../../shared/text-edit/split-lines.js'
import type { TextChange } from '../../shared/text-edit/text-change.js'

/** The change that makes a file hold a content: with the file's line endings, unless the content brings its own. */
export function replaceContent({ text, bomLength }: DecodedText, content: string): TextChange {
  // The mark is no part of the text: it would stand there twice.
  const wanted = bomLength > 0 && content.startsWith('\ufeff') ? content.slice(1) : content
  const whole = { start: 0, end: text.length }
  if (wanted.includes('\r') || !text.includes('\r')) return { ...whole, text: wanted }
  const haystack = { text, hasReturns: true, lines: splitLines(text) }
  return (
    fitMatch(haystack, { ...whole, edit: { oldText: foldLineEndings(text), newText: wanted } }) ?? {
      ...whole,
      text: wanted,
    }
  )
}
