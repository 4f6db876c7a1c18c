import { runSteps, type Steps } from '../../shared/steps.js'
import { alignParts } from '../text/align-parts.js'
import type { TextRange } from '../text/text-change.js'
import { findOccurrences } from './find-verbatim.js'
import { type FoldedEdit, type Haystack, hasLetterOrDigit, type Match, type ReplacedLine } from './match.js'

/** Finds the old text, even if the file has other quotes, dashes, spaces or Unicode forms that look the same. */
export function* findLookAlikes({ text }: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  if (!hasLetterOrDigit(edit.oldText) || (isAscii(text) && isAscii(edit.oldText))) return []
  const foldedOldText = (yield* foldLookAlikesInSteps(edit.oldText)).text
  // A text that folds to nothing would match everywhere.
  if (foldedOldText.trim() === '') return []
  const foldedText = yield* foldLookAlikesInSteps(text)
  const hasTrailingBlank = /[^\S\n]$/.test(edit.oldText)
  return (yield* findOccurrences(foldedText.text, foldedOldText)).flatMap((range) => {
    if (hasTrailingBlank && (foldedText.text[range.end] ?? '\n') !== '\n') return []
    const originalRange = foldedText.toOriginalRange(range)
    return originalRange === undefined ? [] : [{ ...originalRange, edit, fitLine: keepRawTokens }]
  })
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/** Returns the new line, with the characters of the file wherever its tokens equal those of the old line. */
function keepRawTokens(line: string, _index: number, replacedLine: ReplacedLine | undefined): string {
  const rawTokens = replacedLine === undefined ? undefined : rawTokensOf(replacedLine)
  if (replacedLine === undefined || rawTokens === undefined) return line
  const tokens = tokensOf(line)
  const oldIndexes = alignParts(tokensOf(replacedLine.old), tokens)
  return tokens.map((token, at) => rawTokens[oldIndexes[at] ?? -1] ?? token).join('')
}

/** Returns the matching text of the file for each token of the old line; undefined if a character spans two tokens. */
function rawTokensOf({ raw, old }: ReplacedLine): readonly string[] | undefined {
  const foldedText = foldLookAlikes(raw)
  const pieces: string[] = []
  let at = 0
  for (const token of tokensOf(old)) {
    // The `|` keeps blanks at the end of the token from being dropped.
    const length = foldLookAlikes(`${token}|`).text.length - 1
    const range = foldedText.toOriginalRange({ start: at, end: at + length })
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
  /** Returns the original range of a folded range; undefined if it would split a character. */
  toOriginalRange(range: TextRange): TextRange | undefined
}

/** Folds typographic quotes, dashes, spaces, composed and compatibility forms to plain ones, and drops blanks at line ends. */
export function foldLookAlikes(text: string): FoldedText {
  return runSteps(foldLookAlikesInSteps(text))
}

function* foldLookAlikesInSteps(text: string): Steps<FoldedText> {
  const spans: Span[] = []
  const pieces: string[] = []
  let previousEnd = 0
  let length = 0
  let matchCount = 0
  for (const block of splitBlocks(text)) {
    yield
    for (const pieceMatch of text.slice(block.start, block.end).matchAll(FOLDED_PIECE)) {
      if (++matchCount % MATCHES_PER_STEP === 0) yield
      const foldedPiece = pieceMatch.groups?.blanks === undefined ? foldPiece(pieceMatch[0]) : ''
      if (foldedPiece === pieceMatch[0]) continue
      const from = block.start + pieceMatch.index
      const start = length + from - previousEnd
      pieces.push(text.slice(previousEnd, from), foldedPiece)
      previousEnd = from + pieceMatch[0].length
      length = start + foldedPiece.length
      spans.push({ start, end: length, from, to: previousEnd })
    }
  }
  pieces.push(text.slice(previousEnd))
  return {
    text: pieces.join(''),
    toOriginalRange({ start, end }) {
      const from = toOriginalOffset(spans, start, true)
      const to = toOriginalOffset(spans, end, false)
      return from === undefined || to === undefined || to < from ? undefined : { start: from, end: to }
    },
  }
}

const MATCHES_PER_STEP = 512
const MIN_BLOCK_LENGTH = 64 * 1024

/** Splits a text after newlines, which no folded piece crosses, so that long texts can be folded in steps. */
function* splitBlocks(text: string): Generator<TextRange> {
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf('\n', start + MIN_BLOCK_LENGTH)
    const end = newline === -1 ? text.length : newline + 1
    yield { start, end }
    start = end
  }
}

/** A folded piece: its range in the folded text (`start`, `end`) and in the original (`from`, `to`). */
interface Span extends TextRange {
  readonly from: number
  readonly to: number
}

const BLANKS = ' \\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
// The lookbehind prevents a retry at every blank of a long run (quadratic time).
const LINE_END_BLANKS = `(?<![${BLANKS}])(?<blanks>[${BLANKS}]+)(?=\\r|\\n|$)`
const FOLDED_PIECE = new RegExp(`${LINE_END_BLANKS}|\\r\\n?|[^\\r\\n]\\p{M}+|[^\\0-\\x7f]`, 'gu')

const PLAIN_FORMS = new Map(
  Object.entries({
    "'": '‘’‚‛′ʼ＇',
    '"': '“”„‟″〝〞＂',
    '-': '‐‑‒–—―−﹘﹣－',
    ' ': '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    '': '\u200b\u2060\ufeff',
  }).flatMap(([plain, lookAlikes]) => [...lookAlikes].map((lookAlike) => [lookAlike, plain] as const)),
)

function foldPiece(piece: string): string {
  if (piece.startsWith('\r')) return '\n'
  return PLAIN_FORMS.get(piece) ?? piece.normalize('NFKD')
}

/** Maps an offset back. Text between folded pieces keeps its length; undefined for an offset within a piece. */
function toOriginalOffset(spans: readonly Span[], offset: number, isStart: boolean): number | undefined {
  // Several pieces may have folded to nothing here: a start maps to the position after the last of them, an end to the position before the first.
  const span = isStart
    ? findLastSpan(spans, ({ start }) => start <= offset)
    : findLastSpan(spans, ({ start }) => start < offset)
  if (span === undefined) return offset
  if (span.start === offset && span.end > offset) return span.from
  if (offset < span.end) return undefined
  return span.to + offset - span.end
}

function findLastSpan(spans: readonly Span[], isBefore: (span: Span) => boolean): Span | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(spans[middle] as Span)) low = middle + 1
    else high = middle
  }
  return spans[low - 1]
}
