import { alignParts } from '../text/align-parts.js'
import type { TextRange } from '../text/text-change.js'
import { occurrences } from './find-verbatim.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match, type ReplacedLine } from './match.js'

/** Finds the text with other quotes, dashes, spaces or Unicode forms that look the same. */
export function findLookAlikes({ text }: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText) || (isAscii(text) && isAscii(edit.oldText))) return []
  const wanted = foldLookAlikes(edit.oldText).text
  // A text that folds to nothing would match everywhere.
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

/** The new line, with the characters of the file wherever the new line equals the old one. */
function keepRawTokens(line: string, _index: number, replaced: ReplacedLine | undefined): string {
  const rawTokens = replaced === undefined ? undefined : rawTokensOf(replaced)
  if (replaced === undefined || rawTokens === undefined) return line
  const tokens = tokensOf(line)
  const kept = alignParts(tokensOf(replaced.old), tokens)
  return tokens.map((token, at) => rawTokens[kept[at] ?? -1] ?? token).join('')
}

/** For each token of the old line the matching piece of the file; undefined if a character spans two tokens. */
function rawTokensOf({ raw, old }: ReplacedLine): readonly string[] | undefined {
  const folded = foldLookAlikes(raw)
  const pieces: string[] = []
  let at = 0
  for (const token of tokensOf(old)) {
    const length = foldLookAlikes(`${token}|`).text.length - 1
    const range = folded.original({ start: at, end: at + length })
    if (range === undefined) return undefined
    pieces.push(raw.slice(range.start, range.end))
    at += length
  }
  return pieces
}

function tokensOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|\.{3}|[^\p{L}\p{N}\s]\p{M}*/gu) ?? []
}

/** A text with look-alikes folded, and a mapping back to the original offsets. */
interface FoldedText {
  readonly text: string
  /** The original range of a folded range; undefined if it would split a character. */
  original(range: TextRange): TextRange | undefined
}

/** Folds typographic quotes, dashes, spaces, composed and compatibility forms to plain ones, and drops blanks at line ends. */
export function foldLookAlikes(text: string): FoldedText {
  const spans: Span[] = []
  const pieces: string[] = []
  let done = 0
  let length = 0
  for (const found of text.matchAll(FOLDED)) {
    const folded = found.groups?.blanks === undefined ? foldPiece(found[0]) : ''
    if (folded === found[0]) continue
    const start = length + found.index - done
    pieces.push(text.slice(done, found.index), folded)
    done = found.index + found[0].length
    length = start + folded.length
    spans.push({ start, end: length, from: found.index, to: done })
  }
  pieces.push(text.slice(done))
  return {
    text: pieces.join(''),
    original({ start, end }) {
      const from = originalOffset(spans, start, true)
      const to = originalOffset(spans, end, false)
      return from === undefined || to === undefined || to < from ? undefined : { start: from, end: to }
    },
  }
}

/** A folded piece: its range in the folded text and in the original. */
interface Span extends TextRange {
  readonly from: number
  readonly to: number
}

const BLANKS = ' \\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
// The lookbehind prevents a retry at every blank of a long run (quadratic time).
const LINE_END_BLANKS = `(?<![${BLANKS}])(?<blanks>[${BLANKS}]+)(?=\\r|\\n|$)`
const FOLDED = new RegExp(`${LINE_END_BLANKS}|\\r\\n?|[^\\r\\n]\\p{M}+|[^\\0-\\x7f]`, 'gu')

const PLAIN = new Map(
  Object.entries({
    "'": '‘’‚‛′ʼ＇',
    '"': '“”„‟″〝〞＂',
    '-': '‐‑‒–—―−﹘﹣－',
    ' ': '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    '': '\u200b\u2060\ufeff',
  }).flatMap(([plain, likes]) => [...likes].map((like) => [like, plain] as const)),
)

function foldPiece(piece: string): string {
  if (piece.startsWith('\r')) return '\n'
  return PLAIN.get(piece) ?? piece.normalize('NFKD')
}

/** Text between pieces keeps its length; offsets within a piece cannot be mapped back. */
function originalOffset(spans: readonly Span[], offset: number, isStart: boolean): number | undefined {
  // Several pieces may have folded to nothing here: a start maps to the position after the last of them, an end to the position before the first.
  const before = isStart
    ? lastSpan(spans, ({ start }) => start <= offset)
    : lastSpan(spans, ({ start }) => start < offset)
  if (before === undefined) return offset
  if (before.start === offset && before.end > offset) return before.from
  if (offset < before.end) return undefined
  return before.to + offset - before.end
}

function lastSpan(spans: readonly Span[], isBefore: (span: Span) => boolean): Span | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(spans[middle] as Span)) low = middle + 1
    else high = middle
  }
  return spans[low - 1]
}
