/** The text with every line ending as LF. */
export function foldLineEndings(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}
