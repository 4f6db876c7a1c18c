/** Quotes every line of a text, including those after unusual line breaks, so that the text cannot imitate an unquoted line. */
export function quoteLines(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join('\n')
}
