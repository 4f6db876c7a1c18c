import { segmentGraphemes } from './graphemes.js'

/** The longest character, in UTF-16 units, that is certainly kept whole. A family emoji is shorter. */
const MAX_CLUSTER_CHARS = 32
/** Characters with lower codes never combine with their neighbours, except CR LF, which may be split. */
const FIRST_JOINING_CODE = 0x300

/** Returns at most the first `maxChars` UTF-16 units. Surrogate pairs, letters with accents and joined emoji are not split. */
export function cutText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : text.slice(0, findBoundary(text, Math.max(0, maxChars), 'before'))
}

/** Like `cutText`, but returns the end of the text. */
export function cutTextStart(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : text.slice(findBoundary(text, text.length - Math.max(0, maxChars), 'after'))
}

/** Shortens text to `maxChars` including the ellipsis that marks the cut. */
export function shortenText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars - 1)}…`
}

/** Returns the nearest place for a cut: `at`, or the start or end of the character that a cut at `at` would split. */
function findBoundary(text: string, at: number, side: 'before' | 'after'): number {
  if (at <= 0 || at >= text.length || !mayBeInside(text, at)) return at
  // The examined text starts at a code point. Only a longer character can be split, but never inside a surrogate pair.
  const start = isInsidePair(text, at - MAX_CLUSTER_CHARS)
    ? at - MAX_CLUSTER_CHARS - 1
    : Math.max(0, at - MAX_CLUSTER_CHARS)
  const segments = segmentGraphemes(text.slice(start, at + MAX_CLUSTER_CHARS))
  const { index, segment } = segments.containing(at - start) ?? { index: at - start, segment: '' }
  if (index === at - start) return at
  const boundary = start + (side === 'before' ? index : index + segment.length)
  const isFound = boundary > start && boundary < at + MAX_CLUSTER_CHARS
  if (isFound) return boundary
  if (!isInsidePair(text, at)) return at
  return side === 'before' ? at - 1 : at + 1
}

function mayBeInside(text: string, at: number): boolean {
  return text.charCodeAt(at) >= FIRST_JOINING_CODE || text.charCodeAt(at - 1) >= FIRST_JOINING_CODE
}

function isInsidePair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff)
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
