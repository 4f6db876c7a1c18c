const MOST_CHARS = 10_000

/** Keeps one hook's words from crowding out the conversation. */
export function clipText(text: string): string {
  if (text.length <= MOST_CHARS) return text
  // A pair of surrogates that is cut in two is no valid text any more.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MOST_CHARS - 1)) ? MOST_CHARS - 1 : MOST_CHARS
  return `${text.slice(0, end)}\n[${text.length - end} more characters were cut]`
}
