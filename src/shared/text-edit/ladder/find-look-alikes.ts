import { occurrences } from './find-verbatim.js'
import { foldLookAlikes } from './fold-look-alikes.js'
import { keepRawTokens } from './keep-raw-tokens.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** The text with other quotes, dashes, spaces or forms of the same characters, which nobody tells apart by looking. */
export function findLookAlikes({ text }: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText) || (isAscii(text) && isAscii(edit.oldText))) return []
  const wanted = foldLookAlikes(edit.oldText).text
  // A text that comes down to nothing would stand everywhere.
  if (wanted.trim() === '') return []
  const folded = foldLookAlikes(text)
  const endsLine = /[^\S\n]$/.test(edit.oldText)
  return occurrences(folded.text, wanted).flatMap((range) => {
    if (endsLine && (folded.text[range.end] ?? '\n') !== '\n') return []
    const original = folded.original(range)
    return original === undefined ? [] : [{ ...original, edit, fitLine: keepRawTokens }]
  })
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
