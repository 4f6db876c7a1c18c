/** Units that are characters of their own and one column wide: ASCII, Latin, Greek, Cyrillic, punctuation, arrows, boxes, symbols. */
const SIMPLE_CHARACTERS =
  ' -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0373\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u2030-\\u205e\\u20ac\\u2190-\\u21ff\\u2500-\\u25fc\\u2713\\u2717\\u276f'
/** Units that are characters of their own and two columns wide: Chinese, Japanese and Korean, with their punctuation. */
const WIDE_CHARACTERS =
  '\\u3000-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60'
const SIMPLE_TEXT = new RegExp(`^[${SIMPLE_CHARACTERS}]*$`)
const TEXT_OF_UNITS = new RegExp(`^[${SIMPLE_CHARACTERS}${WIDE_CHARACTERS}]*$`)
const WIDE_UNITS = new RegExp(`[${WIDE_CHARACTERS}]`, 'g')
let segmenter: Intl.Segmenter | undefined

/** Whether every UTF-16 unit is a character of its own that is one column wide in a terminal. */
export function isSimpleText(text: string): boolean {
  return SIMPLE_TEXT.test(text)
}

/** Whether every UTF-16 unit is a character of its own. Units that `countWideUnits` counts are two columns wide, others one. */
export function hasOnlySingleUnits(text: string): boolean {
  return TEXT_OF_UNITS.test(text)
}

export function countWideUnits(text: string): number {
  return text.match(WIDE_UNITS)?.length ?? 0
}

/** Segments a text. Creating a segmenter takes ten milliseconds, so it is created for the first text that needs one. */
export function segmentGraphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Returns the characters as people see them: a letter with its accents, or a joined emoji, is one character. */
export function splitGraphemes(text: string): Iterable<string> {
  return hasOnlySingleUnits(text) ? text : segmentInParts(text)
}

const PART_UNITS = 1_000

/** Segments a long text part by part, because the time that `Intl.Segmenter` takes grows with the square of the length. */
function* segmentInParts(text: string): Iterable<string> {
  let start = 0
  let size = PART_UNITS
  while (start < text.length) {
    const end = findPartEnd(text, start + size)
    const segments = Array.from(segmentGraphemes(text.slice(start, end)), ({ segment }) => segment)
    // The last character may continue in the next part.
    const lastLength = end < text.length ? (segments.pop()?.length ?? 0) : 0
    yield* segments
    size = segments.length === 0 ? size * 2 : PART_UNITS
    start = segments.length === 0 ? start : end - lastLength
  }
}

/** Returns `end`, or the next position if `end` is between the halves of a surrogate pair. */
function findPartEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
}
