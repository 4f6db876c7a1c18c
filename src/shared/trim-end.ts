/** Removes these characters from the end of a text. A pattern such as `/\.+$/` would take quadratic time for many of them. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
