/**
 * Text in which every UTF-16 unit is a character of its own: ASCII, Latin, Greek, Cyrillic, punctuation, arrows, boxes and
 * simple symbols. All of them are one column wide in a terminal.
 */
const SIMPLE_TEXT =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0373\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20ac\u2190-\u21ff\u2500-\u25fc\u2713\u2717\u276f]*$/
let segmenter: Intl.Segmenter | undefined

export function isSimpleText(text: string): boolean {
  return SIMPLE_TEXT.test(text)
}

/** Creating a segmenter takes ten milliseconds, so it is created for the first text that needs one. */
export function segmentGraphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Returns the characters as people see them: a letter with its accents or a joined emoji is one. */
export function graphemesOf(text: string): Iterable<string> {
  return isSimpleText(text) ? text : Array.from(segmentGraphemes(text), ({ segment }) => segment)
}
